// What goes wrong: damaged files, browsers that cannot, the network.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { open_page, ready, viewer } from '../page.mjs';
import { make_synthetic } from '../synthetic.mjs';
import { browser, packed, save_page, with_page } from './support.mjs';

const damages = {
  'cut short': [() => packed.slice(0, 3000), /not valid JSON/],
  'with broken data': [(run) => void (run.data.bytes = run.data.bytes.slice(0, 100)), /damaged|cut short/],
  'of a later version': [(run) => void (run.replay.version = 9), /version 9/],
  'whose frames do not fit': [(run) => void (run.replay.frames += 10), /cut short/],
  'of another program': [(run) => void (run.replay.format = 'bvh'), /not a Coluber replay/],
  'that is empty': [() => '{}', /data in this page/],
  'of more frames than a page can hold': [(run) => void (run.replay.frames = 1e9), /larger than a page can hold/],
  'of absurdly many frames': [(run) => void (run.replay.frames = 1e300), /larger than a page can hold|whole number/],
  'of no frames': [(run) => void (run.replay.frames = 0), /at least 1/],
  'with a field beyond its frame': [(run) => void (run.replay.fields[3].offset = 1e6), /a frame has only/],
  'with a field that is no object': [(run) => void (run.replay.fields[3] = 7), /is not an object/],
  'with infinite columns': [(run) => void (run.data.columns[0].min = '1e999'), /no valid min and step/],
  'whose time is not a number': [
    (run) => {
      const synthetic = make_synthetic();
      const bytes = Buffer.from(synthetic.data.bytes, 'base64');
      bytes.writeFloatLE(NaN, 4 * 3 * synthetic.replay.floats_per_frame);
      Object.assign(run, synthetic, { data: { encoding: 'float32', bytes: bytes.toString('base64') } });
    },
    /time runs backwards or is not a number at frame 4/i,
  ],
};

for (const [name, [damage, words]] of Object.entries(damages)) {
  test(`a replay ${name} shows what is wrong instead of a blank page`, async () => {
    const run = JSON.parse(packed);
    const text = damage(run);
    await with_page([text ?? run], '', async (page) => {
      const alert = page.locator('[role=alert]');
      await alert.waitFor({ state: 'visible', timeout: 10000 });
      assert.match(await alert.textContent(), words);
    });
  });
}
test('the bare page says how to get a run into it', async () => {
  const opened = await open_page(browser.context, pathToFileURL(viewer).href);
  await opened.page.locator('[role=alert]').waitFor({ state: 'visible' });
  assert.match(await opened.page.textContent('[role=alert]'), /coluber view RUN/);
  assert.deepEqual(opened.errors, []);
  await opened.page.close();
});

test('the page without data is at most 1 MB and has its place for data once', async () => {
  const page = await readFile(viewer, 'utf8');
  assert.ok(Buffer.byteLength(page) <= 1e6);
  assert.equal(page.split('<!--COLUBER_DATA-->').length, 2);
});

test('without WebGL 2 a notice says so, and figures and plots work', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('[role=alert]'), /no WebGL 2/);
    assert.ok((await page.locator('#figures tr').count()) > 5);
    await page.keyboard.press('End');
    assert.equal(await page.evaluate(() => window.coluber.time), 0.5);
    assert.ok((await page.evaluate(() => window.coluber.plot().length)) > 0);
    await page.click('[role=alert] button');
    assert.equal(await page.isVisible('[role=alert]'), false);
  }, () => {
    HTMLCanvasElement.prototype.getContext = ((real) => function (kind, ...rest) {
      return /webgl/.test(kind) ? null : real.call(this, kind, ...rest);
    })(HTMLCanvasElement.prototype.getContext);
  });
});

test('another failure is not blamed on WebGL', async () => {
  await with_page([packed], '', async (page) => {
    await page.locator('[role=alert]').waitFor({ state: 'visible' });
    const words = await page.textContent('[role=alert]');
    assert.match(words, /The viewer failed/);
    assert.match(words, /broken on purpose/);
    assert.doesNotMatch(words, /WebGL/);
  }, () => {
    const { observe } = ResizeObserver.prototype;
    ResizeObserver.prototype.observe = function (element) {
      if (element.id === 'stage') throw new Error('broken on purpose'); // in the scene alone
      observe.call(this, element);
    };
  });
});

test('a browser that cannot unpack is called too old, not the file damaged', async () => {
  await with_page([packed], '', async (page) => {
    await page.locator('[role=alert]').waitFor({ state: 'visible' });
    assert.match(await page.textContent('[role=alert]'), /browser is too old/);
  }, () => {
    delete window.DecompressionStream;
  });
});

test('the picture comes back when the browser lost and restored the graphics', async () => {
  await with_page([packed], '#shadows=0', async (page) => {
    await ready(page);
    await page.waitForTimeout(1500); // the fine picture
    const seen = () => page.locator('#scene').screenshot();
    const before_loss = await seen();
    await page.evaluate(async () => {
      const gl = document.getElementById('scene').getContext('webgl2').getExtension('WEBGL_lose_context');
      const told = (name) => new Promise((resolve) => document.getElementById('scene').addEventListener(name, resolve, { once: true }));
      const lost = told('webglcontextlost');
      gl.loseContext();
      await lost;
      await new Promise((resolve) => setTimeout(resolve, 300));
      const restored = told('webglcontextrestored');
      gl.restoreContext();
      await restored;
    });
    await page.waitForTimeout(1500);
    assert.ok(before_loss.equals(await seen()), 'the same picture as before');
  });
});

test('the page forbids itself the network', async () => {
  assert.match(await readFile(viewer, 'utf8'), /<meta http-equiv="Content-Security-Policy" content="default-src 'none';/);
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader('Access-Control-Allow-Origin', '*').end('ok');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { page } = await open_page(browser.context, await save_page(packed));
  try {
    await ready(page);
    const denied = await page.evaluate(async (address) => {
      const told = new Promise((resolve) => {
        let n = 0;
        document.addEventListener('securitypolicyviolation', () => ++n === 3 && resolve(n));
        setTimeout(() => resolve(n), 5000);
      });
      fetch(`${address}fetch`).catch(() => undefined);
      new Image().src = `${address}image`;
      const script = document.createElement('script');
      script.src = `${address}script`;
      document.head.append(script);
      return told;
    }, `http://127.0.0.1:${server.address().port}/`);
    assert.equal(denied, 3);
    assert.deepEqual(asked, []);
  } finally {
    await page.close();
    server.closeAllConnections?.();
    server.close();
  }
});
