// The page in Chromium: from disk, from a server, by the program's own export and server.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { embed, make_page, open_browser, open_page, ready, until, viewer } from '../page.mjs';
import { make_synthetic, shapes } from '../synthetic.mjs';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const coluber = process.env.COLUBER;
const options = coluber ? {} : { skip: 'COLUBER is not set' };
let browser;
let folder;
let replay;
let values;
let packed;
let sequence = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coluber-page-'));
  browser = await open_browser();
  replay = JSON.parse(await readFile(join(fixtures, 'replay.json'), 'utf8'));
  const bytes = await readFile(join(fixtures, 'replay.bin'));
  values = Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  packed = (await readFile(join(fixtures, 'packed.json'), 'utf8')).trim();
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

// Opens a page with runs in it from disk; `act` gets the page; whatever it does, nothing may go wrong in the console.
async function with_page(runs, hash, act) {
  const file = join(folder, `page${++sequence}.html`);
  await writeFile(file, await make_page(...runs));
  const opened = await open_page(browser.context, pathToFileURL(file).href + hash);
  try {
    await act(opened.page, opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.page.close();
  }
}

const field = (name) => replay.fields.find((f) => f.name === name);
const value = (frame, name, i = 0) => values[frame * replay.floats_per_frame + field(name).offset + i];
const time_of = (frame) => value(frame, 'time');

// How many pixels differ from the page's background, and how many colours there are.
const look = (page) =>
  page.evaluate(() => {
    const { width, height, data } = window.coluber.pixels();
    const seen = new Set();
    let blue = 0;
    for (let i = 0; i < data.length; i += 4) {
      seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      if (data[i + 2] > data[i] + 60) ++blue;
    }
    let hash = 0;
    for (let i = 0; i < data.length; ++i) hash = (hash * 31 + data[i]) | 0;
    return { width, height, colours: seen.size, blue, hash };
  });

test('a page on disk shows the run and asks nothing of the network', async () => {
  await with_page([packed], '', async (page, { requests }) => {
    await ready(page);
    assert.equal(await page.textContent('#title'), 'Three links and a peg');
    assert.ok(requests.every((r) => /^(file|data|blob):/.test(r)), requests.join(' '));
    assert.equal(await page.isHidden('#alert'), true);
  });
});

test('the canvas holds a picture: many colours, and the blue of the links', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    const seen = await look(page);
    assert.ok(seen.colours > 50, `${seen.colours} colours`);
    assert.ok(seen.blue > 500, `${seen.blue} blue pixels`);
  });
});

test('every pose read back from the scene equals the recorded one', async () => {
  const { data } = JSON.parse(packed);
  await with_page([packed], '', async (page) => {
    await ready(page);
    for (const frame of [0, 7, 13, replay.frames - 1]) {
      const poses = await page.evaluate((t) => {
        window.coluber.seek(t);
        return ['link_1', 'link_2', 'link_3'].map((name) => window.coluber.poseOf(name));
      }, time_of(frame));
      poses.forEach((pose, link) => {
        pose.forEach((x, i) => {
          const name = `link_${link + 1}.pose`;
          // half a step of the packing; matrices of float32 give 1e-6
          const bound = data.columns[field(name).offset + i].step / 2 + 2e-6;
          assert.ok(Math.abs(x - value(frame, name, i)) <= bound, `frame ${frame} ${name} ${i}: ${x}`);
        });
      });
    }
    const obstacle = replay.bodies.find((b) => b.name === 'obstacle_1');
    const pose = await page.evaluate(() => window.coluber.poseOf('obstacle_1'));
    pose.forEach((x, i) => assert.ok(Math.abs(x - obstacle.pose[i]) < 1e-6));
  });
});

test('play moves the snake and the picture, pause holds both', async () => {
  await with_page([packed], '#speed=0.1', async (page) => {
    await ready(page);
    const start = await page.evaluate(() => window.coluber.poseOf('link_1'));
    const before_play = await look(page);
    await page.click('#play');
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
    await until(page, () => window.coluber.time > 0.1);
    await page.click('#play');
    const [t, pose] = await page.evaluate(() => [window.coluber.time, window.coluber.poseOf('link_1')]);
    assert.ok(Math.hypot(pose[0] - start[0], pose[1] - start[1]) > 1e-3);
    assert.notEqual((await look(page)).hash, before_play.hash);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.coluber.time), t);
  });
});

test('a run stops at its end, and with loop begins again', async () => {
  await with_page([packed], '#speed=10', async (page) => {
    await ready(page);
    await page.click('#play');
    await until(page, () => !window.coluber.playing);
    assert.equal(await page.evaluate(() => window.coluber.time), time_of(replay.frames - 1));
    await page.keyboard.press('l');
    await page.keyboard.press('-');
    await page.keyboard.press('Space');
    const wrapped = await page.evaluate(() => new Promise((resolve) => {
      let last = -1;
      const watch = () => {
        if (window.coluber.time < last) resolve(true);
        last = window.coluber.time;
        requestAnimationFrame(watch);
      };
      watch();
      setTimeout(() => resolve(false), 10000);
    }));
    assert.equal(wrapped, true);
  });
});

test('scrubber, playhead, clock and scene agree', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    await page.fill('#scrubber', '0.3');
    const seen = await page.evaluate(() => ({ t: window.coluber.time, head: window.coluber.playheadTime(), frame: window.coluber.frame }));
    assert.equal(seen.t, 0.3);
    assert.equal(seen.frame, 15);
    assert.ok(Math.abs(seen.head - 0.3) < 0.001, `playhead at ${seen.head}`);
    assert.match(await page.textContent('#clock'), /^0\.30 \/ 0\.50 s$/);
    await page.keyboard.press('.');
    assert.equal(await page.evaluate(() => window.coluber.frame), 16);
  });
});

test('a click in the plot seeks to that time', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    const box = await page.locator('#plot .u-over').boundingBox();
    await page.mouse.click(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
    const t = await page.evaluate(() => window.coluber.time);
    // a pixel of the plot
    assert.ok(Math.abs(t - 0.3) <= 0.5 / box.width + 1e-9, `${t}`);
    assert.ok(Math.abs(Number(await page.inputValue('#scrubber')) - t) < 1e-9);
  });
});

test('the plot holds the recorded values of the channels picked', async () => {
  const { data } = JSON.parse(packed);
  await with_page([packed], '', async (page) => {
    await ready(page);
    await page.selectOption('#channel', 'joint_angle');
    await page.click('#members button:text-is("1")');
    const series = await page.evaluate(() => window.coluber.plot().map((s) => ({ title: s.title, values: [...s.values] })));
    assert.deepEqual(series.map((s) => s.title), ['joint angle 2']);
    const half = data.columns[field('joint_angle.2').offset].step / 2;
    series[0].values.forEach((x, k) => assert.ok(Math.abs(x - value(k, 'joint_angle.2')) <= half + 1e-6));
    assert.match(await page.textContent('#channel option:checked'), /\(rad\)/);
  });
});

test('each camera gives another picture, and the address brings the view back', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    const pictures = new Set();
    for (const camera of ['orbit', 'top', 'side', 'follow']) {
      await page.click(`[data-camera=${camera}]`);
      pictures.add((await look(page)).hash);
    }
    assert.equal(pictures.size, 4);
    await page.click('[data-camera=top]');
    await page.fill('#scrubber', '0.2');
    await until(page, () => /t=0\.20&cam=top/.test(location.hash));
    const seen = await look(page);
    await page.reload();
    await ready(page);
    assert.equal(await page.evaluate(() => window.coluber.time), 0.2);
    assert.equal((await look(page)).hash, seen.hash);
    const box = await page.locator('#scene').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 230, { steps: 3 });
    await page.mouse.up();
    await until(page, () => /&view=/.test(location.hash));
    const dragged = await page.evaluate(() => window.coluber.view());
    assert.equal(dragged.length, 7);
    await page.reload();
    await ready(page);
    (await page.evaluate(() => window.coluber.view())).forEach((x, i) => assert.ok(Math.abs(x - dragged[i]) < 1e-4));
  });
});

test('colours, trails and shadows change the picture when switched', async () => {
  const run = JSON.parse(packed);
  run.data.columns[field('link_3.pose').offset].step *= 40; // so far that its trail is not under it
  await with_page([run], '#t=0.4&cam=top', async (page) => {
    await ready(page);
    let last = (await look(page)).hash;
    const changes = {
      colour: () => page.selectOption('#colour', ''),
      trail: () => page.click('#trails button:text-is("3")'),
      shadows: () => page.click('#shadows'),
    };
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const now = (await look(page)).hash;
      assert.notEqual(now, last, name);
      last = now;
    }
  });
});

test('contact forces are drawn while a contact is closed', async () => {
  const contact = replay.fields.filter((f) => f.kind === 'contact');
  let best = 0;
  let frame = 0;
  for (let k = 0; k < replay.frames; ++k) {
    for (const f of contact) {
      for (let s = 3; s < f.count; s += 6) {
        const size = Math.hypot(...[0, 1, 2].map((a) => values[k * replay.floats_per_frame + f.offset + s + a]));
        if (size > best) [best, frame] = [size, k];
      }
    }
  }
  assert.ok(best > 0, 'the fixture touches its peg');
  await with_page([packed], `#t=${time_of(frame)}&cam=top`, async (page) => {
    await ready(page);
    const drawn = await look(page);
    await page.click('#forces');
    assert.notEqual((await look(page)).hash, drawn.hash);
    assert.equal(await page.isHidden('#force_scale'), true);
  });
});

test('light and dark follow the system and the button', async () => {
  await with_page([packed], '', async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await ready(page);
    await until(page, () => document.documentElement.dataset.theme === 'dark');
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.click('#theme');
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.notEqual(dark, light);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  });
});

test('the question mark shows the keys', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    await page.keyboard.press('?');
    assert.equal(await page.isVisible('#keys'), true);
    await page.keyboard.press('?');
    assert.equal(await page.isVisible('#keys'), false);
  });
});

test('the picture button saves a PNG that is not blank', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#screenshot')]);
    assert.match(download.suggestedFilename(), /^Three_links_and_a_peg_0\.00s\.png$/);
    const file = await readFile(await download.path());
    assert.equal(file.subarray(1, 4).toString(), 'PNG');
    assert.ok(file.length > 5000, `${file.length} bytes`);
  });
});

test('at phone width nothing sticks out sideways and the scene keeps most of the height', async () => {
  await with_page([packed], '', async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await ready(page);
    const seen = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      out: [...document.querySelectorAll('header *, footer > *, #legend > *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length,
      scene: document.querySelector('#scene').getBoundingClientRect().height,
    }));
    assert.equal(seen.wide, 390);
    assert.equal(seen.out, 0);
    assert.ok(seen.scene > 0.5 * 844, `${seen.scene}`);
  });
});

test('two runs are overlaid, the second as a ghost with its own poses', async () => {
  const second = JSON.parse(packed);
  second.run.title = 'Shifted';
  for (const f of second.replay.fields) if (f.kind === 'pose') second.data.columns[f.offset + 1].min += 0.3; // 30 cm to the side
  await with_page([packed, second], '#t=0.2', async (page) => {
    await ready(page);
    const [one, two] = await page.evaluate(() => [window.coluber.poseOf('link_2', 0), window.coluber.poseOf('link_2', 1)]);
    assert.ok(Math.abs(two[1] - one[1] - 0.3) < 1e-5);
    assert.match(await page.textContent('#runs_legend'), /Shifted/);
    const both = await page.evaluate(() => window.coluber.plot().length);
    const shown = (await look(page)).hash;
    await page.keyboard.press('g');
    assert.equal(await page.evaluate(() => window.coluber.plot().length), both / 2);
    assert.notEqual((await look(page)).hash, shown);
  });
});

test('names from a file are shown as text, never as HTML', async () => {
  const evil = '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>';
  const run = JSON.parse(packed);
  run.run.title = evil;
  run.run.warnings = [evil];
  run.run.summary[evil] = evil;
  run.run.scenario[evil] = evil;
  for (const f of run.replay.fields) f.label = f.name === 'time' ? f.label : evil;
  run.run.name = evil;
  run.run.units = { [evil]: evil };
  run.run.status = evil;
  run.replay.bodies[0].colour = 'url(x)"><img src=x>';
  const link = run.replay.bodies[0].name;
  run.replay.bodies[0].name = evil;
  for (const f of run.replay.fields) if (f.body === link) f.body = evil;
  await with_page([run], '', async (page) => {
    await ready(page);
    assert.equal(await page.textContent('#title'), evil);
    for (const name of await page.locator('#channel option').evaluateAll((all) => all.map((o) => o.value))) await page.selectOption('#channel', name);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('img').count(), 0);
  });
});

test('every shape of the format is drawn, moving and standing; an unknown one is left out', async () => {
  await with_page([make_synthetic()], '#t=0.5', async (page) => {
    await ready(page);
    for (const [shape] of shapes) {
      const [moving, still] = await page.evaluate((s) => [window.coluber.poseOf(`moving_${s}`), window.coluber.poseOf(`still_${s}`)], shape);
      assert.ok(Math.abs(moving[1] - 0.2) < 1e-6, `${shape} moves: ${moving}`);
      assert.ok(Math.abs(still[1] + 0.5) < 1e-6, `${shape} stands: ${still}`);
    }
    assert.equal(await page.evaluate(() => window.coluber.poseOf('odd')), null);
    assert.match(await page.textContent('#about'), /fields of kind heights/);
  });
});

const alone = (shape) => {
  const run = make_synthetic();
  run.replay.fields = run.replay.fields.filter((f) => ['time', 'energy', `moving_${shape}.pose`].includes(f.name));
  run.replay.bodies = run.replay.bodies.filter((b) => b.name === `moving_${shape}`);
  return run;
};
for (const [shape] of shapes) {
  test(`a ${shape} alone makes a picture`, async () => {
    await with_page([alone(shape)], '', async (page) => {
      await ready(page);
      assert.ok((await look(page)).blue > 500);
    });
  });
}

test('a shape to come makes no picture and no fault', async () => {
  const run = alone('box');
  run.replay.bodies[0].shape = 'teapot';
  await with_page([run], '', async (page) => {
    await ready(page);
    assert.ok((await look(page)).blue < 50);
  });
});

test('curves are drawn as a tube or a line, and move', async () => {
  const run = make_synthetic();
  run.replay.fields = run.replay.fields.filter((f) => ['time', 'energy', 'rod.shape', 'rope.shape'].includes(f.name));
  run.replay.bodies = run.replay.bodies.filter((b) => ['rod', 'rope'].includes(b.name));
  // pixels of the rod's green and of the rope's pink
  const count = (page) => page.evaluate(() => {
    const { data } = window.coluber.pixels();
    let green = 0, pink = 0, hash = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 1] > data[i] + 40 && data[i + 1] > data[i + 2] + 10) ++green;
      if (data[i] > data[i + 1] + 40 && data[i + 2] > data[i + 1] + 20) ++pink;
      hash = (hash * 31 + data[i]) | 0;
    }
    return { green, pink, hash };
  });
  await with_page([run], '#cam=top', async (page) => {
    await ready(page);
    const seen = await count(page);
    assert.ok(seen.green > 3000, `${seen.green} green`);
    assert.ok(seen.pink > 300, `${seen.pink} pink`);
    await page.fill('#scrubber', '0.7');
    assert.notEqual((await count(page)).hash, seen.hash);
  });
});

test('vectors are arrows at their bodies, with a scale, and can be switched off', async () => {
  await with_page([make_synthetic()], '#t=0.5', async (page) => {
    await ready(page);
    assert.deepEqual(await page.evaluate(() => window.coluber.arrows()), [{ forces: 1, vectors: 3 }]);
    assert.match(await page.textContent('#vector_scale'), /^velocity [\d.]+ m\/s$/);
    const drawn = (await look(page)).hash;
    await page.selectOption('#vectors', '');
    assert.deepEqual(await page.evaluate(() => window.coluber.arrows()), [{ forces: 1, vectors: 0 }]);
    assert.notEqual((await look(page)).hash, drawn);
    assert.equal(await page.isHidden('#vector_scale'), true);
    await page.selectOption('#channel', 'velocity');
    const series = await page.evaluate(() => window.coluber.plot().map((s) => s.values[10]));
    assert.equal(series.length, 3);
    series.forEach((v) => assert.ok(Math.abs(v - Math.hypot(0.1, 0.4, 0.1)) < 1e-6, `${v}`));
  });
});

test('a body whose pose is not a number is left out and the rest is shown', async () => {
  const run = make_synthetic();
  const f = run.replay.fields.find((g) => g.name === 'moving_sphere.pose');
  const bytes = Buffer.from(run.data.bytes, 'base64');
  for (let k = 5; k < run.replay.frames; ++k) for (let i = 0; i < 7; ++i) bytes.writeFloatLE(NaN, 4 * (k * run.replay.floats_per_frame + f.offset + i));
  run.data.bytes = bytes.toString('base64');
  await with_page([run], '#t=0.5&cam=follow', async (page) => {
    await ready(page);
    const seen = await look(page);
    assert.ok(seen.blue > 500, `${seen.blue}`);
    assert.ok(seen.colours > 50);
    await page.keyboard.press('0');
    await page.keyboard.press('1');
    assert.ok((await look(page)).blue > 500);
  });
});

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

test('served with raw data, the page shows exactly the recorded float32 values', async () => {
  const page_text = await readFile(viewer, 'utf8');
  const files = { '/run/0/replay.json': 'replay.json', '/run/0/replay.bin': 'replay.bin', '/run/0/run.json': 'run.json' };
  const server = createServer(async (request, response) => {
    if (request.url === '/') response.setHeader('Content-Type', 'text/html').end(page_text);
    else if (request.url === '/api/runs') response.end(JSON.stringify({ runs: [{ name: 'three', replay: 'run/0/replay.json', data: 'run/0/replay.bin', run: 'run/0/run.json' }] }));
    else if (files[request.url]) response.end(await readFile(join(fixtures, files[request.url])));
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { page, errors } = await open_page(browser.context, `http://127.0.0.1:${server.address().port}/`);
  try {
    await ready(page);
    const series = await page.evaluate(() => window.coluber.plot().map((s) => [...s.values]));
    series.forEach((s, i) => s.forEach((x, k) => assert.equal(x, value(k, `joint_torque.${i + 1}`))));
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
    server.closeAllConnections?.();
    server.close();
  }
});

test('a page by coluber export opens from disk and shows the run', options, async () => {
  const run = join(folder, 'run');
  const program = (...args) => {
    const result = spawnSync(coluber, args, { encoding: 'utf8' });
    assert.equal(result.status, 0, result.stderr);
  };
  program('run', join(fixtures, 'three_links.toml'), '--out', run, '-q');
  program('export', run, '--to', 'html', '-o', join(folder, 'out.html'));
  const { page, errors, requests } = await open_page(browser.context, pathToFileURL(join(folder, 'out.html')).href);
  await ready(page);
  assert.equal(await page.textContent('#title'), 'Three links and a peg');
  assert.ok((await look(page)).blue > 500);
  assert.ok(requests.every((r) => /^(file|data|blob):/.test(r)));
  assert.deepEqual(errors, []);
  await page.close();
});

test('coluber view serves one run, and two for comparison', options, async () => {
  const run = join(folder, 'served');
  assert.equal(spawnSync(coluber, ['run', join(fixtures, 'three_links.toml'), '--out', run, '-q']).status, 0);
  for (const runs of [[run], [run, run]]) {
    const server = spawn(coluber, ['view', ...runs, '--no-open']);
    try {
      let said = '';
      const address = await new Promise((resolve, reject) => {
        const hear = (chunk) => {
          said += chunk;
          const match = /http:\/\/127\.0\.0\.1:\d+\/?/.exec(said);
          if (match) resolve(match[0]);
        };
        server.stdout.on('data', hear);
        server.stderr.on('data', hear);
        server.on('exit', () => reject(new Error(`coluber view ended: ${said}`)));
        setTimeout(() => reject(new Error(`no address printed: ${said}`)), 10000).unref();
      });
      const { page, errors, requests } = await open_page(browser.context, address);
      await ready(page);
      const pose = await page.evaluate((t) => {
        window.coluber.seek(t);
        return window.coluber.poseOf('link_3');
      }, time_of(12));
      pose.forEach((x, i) => assert.ok(Math.abs(x - value(12, 'link_3.pose', i)) < 2e-6));
      assert.equal(await page.isVisible('#runs_legend'), runs.length === 2);
      assert.ok(requests.every((r) => r.startsWith(address) || /^(data|blob):/.test(r)), requests.join(' '));
      assert.deepEqual(errors, []);
      await page.close();
    } finally {
      server.kill();
    }
  }
});

test('a run folder is also shown when its data is embedded unpacked', async () => {
  await with_page([await embed(fixtures, { packed: false })], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('#about'), /float32/);
  });
});
