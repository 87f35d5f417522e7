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
import { make_synthetic, make_wheeled, shapes } from '../synthetic.mjs';

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
async function with_page(runs, hash, act, init) {
  const file = join(folder, `page${++sequence}.html`);
  await writeFile(file, await make_page(...runs));
  const opened = await open_page(browser.context, pathToFileURL(file).href + hash, init);
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

const long_title = (n) => 'Aiko through the course of Transeth 7.3.4 with rough pegs, '.repeat(9).slice(0, n);
for (const [width, height, titles] of [[390, 844, ['Three links']], [390, 844, [long_title(120)]], [320, 568, [long_title(120)]], [390, 844, [long_title(80), long_title(60)]], [320, 568, [long_title(80), long_title(60)]], [1280, 800, [long_title(300)]], [1280, 800, [long_title(300), long_title(200)]]]) {
  test(`${titles.length} run${titles.length > 1 ? 's' : ''} with titles of ${titles.map((t) => t.length)} letters fit ${width} pixels; the scene keeps its share`, async () => {
    const runs = titles.map((title) => {
      const run = JSON.parse(packed);
      run.run.title = title;
      return run;
    });
    await with_page(runs, '', async (page) => {
      await page.setViewportSize({ width, height });
      await page.reload();
      await ready(page);
      const seen = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        out: [...document.querySelectorAll('header, header *, footer, footer > *, footer button, footer select, #legend > *, #runs_legend *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.chips')).map((e) => e.id || e.tagName),
        scene: document.querySelector('#scene').getBoundingClientRect().height / innerHeight,
        chips: [...document.querySelectorAll('.chips button')].filter((e) => e.offsetParent).map((e) => Math.min(e.offsetWidth, e.offsetHeight)),
      }));
      assert.equal(seen.wide, width);
      assert.deepEqual(seen.out, []);
      assert.ok(seen.scene > (height > 600 ? 0.5 : 0.35), `${seen.scene}`);
      assert.ok(Math.min(...seen.chips) >= 24, 'a finger finds the chips');
      for (const id of ['back', 'play', 'forward', 'readout', 'clock']) assert.equal(await page.isVisible(`#${id}`), true, id);
    });
  });
}

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

const arrows = (page) => page.evaluate(() => window.coluber.drawnScene().map(({ forces, vectors }) => ({ forces: forces.length, vectors: vectors.length })));
test('vectors are arrows at their bodies, with a scale, and can be switched off', async () => {
  await with_page([make_synthetic()], '#t=0.5', async (page) => {
    await ready(page);
    assert.deepEqual(await arrows(page), [{ forces: 1, vectors: 3 }]);
    assert.match(await page.textContent('#vector_scale'), /^velocity [\d.]+ m\/s$/);
    const drawn = (await look(page)).hash;
    await page.selectOption('#vectors', '');
    assert.deepEqual(await arrows(page), [{ forces: 1, vectors: 0 }]);
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

test('the report of coluber reproduce opens its replays, each under its figure', options, async () => {
  const out = join(folder, 'report');
  const done = spawnSync(coluber, ['reproduce', 'transeth.A1', '--out', out], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const { page, errors, requests } = await open_page(browser.context, pathToFileURL(join(out, 'report.html')).href);
  try {
    assert.equal(await page.locator('figure + details.replay').count(), 1);
    await page.click('details.replay summary');
    await until(page, () => document.querySelector('details.replay iframe') !== null);
    const frame = await (await page.$('details.replay iframe')).contentFrame();
    await frame.waitForLoadState();
    await until(frame, () => window.coluber?.ready === true);
    assert.match(await frame.textContent('#title'), /Aiko/);
    assert.equal(await frame.isVisible('[role=alert]'), false);
    const start = await frame.evaluate(() => window.coluber.poseOf('link_6'));
    const later = await frame.evaluate(() => {
      window.coluber.seek(9);
      return window.coluber.poseOf('link_6');
    });
    assert.ok(Math.hypot(later[0] - start[0], later[1] - start[1]) > 0.01, `${later}`);
    await page.click('details.replay summary');
    await until(page, () => document.querySelector('details.replay iframe') === null);
    assert.ok(requests.every((r) => /^(file|data|blob):/.test(r)), requests.join(' '));
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
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
  await with_page([await embed(fixtures)], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('#about'), /float32/);
  });
});

// What the page claims, against the recorded numbers -----------------------------------------------

const near = (found, expected, bound, what) => {
  assert.equal(found.length, expected.length, what);
  found.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) <= bound, `${what}: ${found} for ${expected}`));
};
const scene = (page, run = 0) => page.evaluate((i) => window.coluber.drawnScene()[i], run);
const camera = (page) => page.evaluate(() => window.coluber.camera());
// 4.2, −4.2, 4.2·10⁻⁵ and 25 with its unit behind it
const number_in = (text) => {
  const [, lead, power] = /(−?[\d.]+)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?/.exec(text) ?? [];
  const raised = power ? Number([...power].map((c) => (c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))).join('')) : 0;
  return Number(lead.replace('−', '-')) * 10 ** raised;
};
// metres a unit, from the length and the words of an arrow in the legend
const legend_scale = async (page, id) => {
  const width = parseFloat(await page.evaluate((i) => document.querySelector(`#${i} i`).style.width, id));
  return width / number_in(/[\d.−].*/.exec(await page.textContent(`#${id} span`))[0]) / (await camera(page)).pixelsPerMetre;
};
const open_contacts = (frame) => replay.fields.filter((f) => f.kind === 'contact').flatMap((f) => Array.from({ length: f.count / 6 }, (_, s) => [...values.subarray(frame * replay.floats_per_frame + f.offset + 6 * s, frame * replay.floats_per_frame + f.offset + 6 * s + 6)]))
  .filter((c) => Math.hypot(...c.slice(3)) > 0);

test('force arrows start at their contacts, point along the forces, and are as long as the legend says', async () => {
  const frame = [...Array(replay.frames).keys()].find((k) => open_contacts(k).some((c) => Math.hypot(c[3], c[4]) > 1));
  const expected = open_contacts(frame);
  await with_page([await embed(fixtures)], `#t=${time_of(frame)}&cam=top`, async (page) => {
    await ready(page);
    const scale = await legend_scale(page, 'force_scale');
    const { forces } = await scene(page);
    assert.equal(forces.length, expected.length);
    forces.forEach(({ base, tip }, i) => {
      const length = scale * Math.hypot(...expected[i].slice(3));
      near(base, expected[i].slice(0, 3), 1e-6, 'base');
      // a tenth of a pixel in the width of the legend's arrow of 40 pixels or more
      near(tip.map((x, a) => x - base[a]), expected[i].slice(3).map((f) => scale * f), 0.003 * length, 'arrow');
    });
    await page.fill('#force_size', '0.5');
    assert.ok(Math.abs((await legend_scale(page, 'force_scale')) / scale - Math.sqrt(10)) < 0.02, 'the slider lengthens both');
    const longer = (await scene(page)).forces[0];
    near(longer.tip.map((x, a) => x - longer.base[a]), expected[0].slice(3).map((f) => Math.sqrt(10) * scale * f), 0.02 * scale * Math.hypot(...expected[0].slice(3)), 'longer arrow');
  });
});

test('vector arrows start at their bodies and are as long as the legend says', async () => {
  await with_page([make_synthetic()], '#t=0.5', async (page) => {
    await ready(page);
    const scale = await legend_scale(page, 'vector_scale');
    const { vectors } = await scene(page);
    const bases = [[1.2, 0.2, 0.2], [0.4, 0.2, 0.2], [1.2, -0.5, 0.2]];
    vectors.forEach(({ base, tip }, i) => {
      near(base, bases[i], 1e-6, 'base');
      near(tip.map((x, a) => x - base[a]), [0.1, 0.4, 0.1].map((v) => scale * v), 0.003 * scale, 'arrow');
    });
  });
});

test('two points a scale bar apart are a scale bar apart in the picture, in every camera', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    for (const name of ['orbit', 'top', 'side', 'follow']) {
      await page.click(`[data-camera=${name}]`);
      await page.evaluate(() => window.coluber.drawn());
      const words = await page.textContent('#scale span');
      const length = number_in(words) * { m: 1, cm: 0.01, mm: 0.001 }[/^\S+ (\S+)/.exec(words)[1]];
      const width = parseFloat(await page.evaluate(() => document.querySelector('#scale i').style.width));
      const { target, position } = await camera(page);
      const [x, y] = [target[1] - position[1], position[0] - target[0]];
      const right = Math.hypot(x, y) > 1e-9 ? [-x / Math.hypot(x, y), -y / Math.hypot(x, y)] : [1, 0]; // across the view
      const ends = await page.evaluate(([c, r, l]) => [-0.5, 0.5].map((s) => window.coluber.project(c[0] + s * l * r[0], c[1] + s * l * r[1], c[2])), [target, right, length]);
      const apart = Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
      assert.ok(Math.abs(apart - width) < 0.01 * width + 0.1, `${name}: ${apart} pixels for a bar of ${width}`);
    }
  });
});

// the colour of s in -1 … 1: blue, grey, red
const shade = (s) => [0, 1, 2].map((i) => Math.round(255 * (0.86 + ((s < 0 ? [0.13, 0.4, 0.82] : [0.8, 0.16, 0.14])[i] - 0.86) * Math.min(1, Math.abs(s)) ** 0.8)));
const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

test('joint torques colour rings where the links meet, blue below zero and red above, as the ramp says', async () => {
  const run = JSON.parse(await readFile(join(fixtures, 'run.json'), 'utf8'));
  const half = run.scenario.resolved.robot.link.length / 2;
  const stored = await embed(fixtures);
  const bytes = Buffer.from(stored.data.bytes, 'base64');
  const torque_of = (frame, j) => (j === 2 ? -1 : 1) * value(frame, `joint_torque.${j}`); // the second below zero
  for (let k = 0; k < replay.frames; ++k) bytes.writeFloatLE(torque_of(k, 2), 4 * (k * replay.floats_per_frame + field('joint_torque.2').offset));
  stored.data.bytes = bytes.toString('base64');
  await with_page([stored], '', async (page) => {
    await ready(page);
    const range = number_in((await page.textContent('#ramp span:last-child')).slice(2));
    assert.match(await page.textContent('#ramp'), /^joint torque .*N m$/);
    const ramp = (await page.evaluate(() => getComputedStyle(document.querySelector('#ramp i')).backgroundImage)).match(/\d+, \d+, \d+/g).map((c) => c.split(', ').map(Number));
    near(ramp[0], shade(-1), 1, 'left end of the ramp');
    near(ramp.at(-1), shade(1), 1, 'right end of the ramp');
    const signs = new Set();
    for (const frame of [3, 9, 14, 20, 25]) {
      await page.evaluate((t) => window.coluber.seek(t), time_of(frame));
      const { rings } = await scene(page);
      assert.equal(rings.length, 2);
      rings.forEach(({ position, colour }, j) => {
        const torque = torque_of(frame, j + 1);
        signs.add(Math.sign(torque));
        near(parts(colour), shade(torque / range), 2, `colour of ${torque} N m`);
        const centre = (i) => [0, 1].map((a) => value(frame, `link_${i}.pose`, a));
        for (const link of [j + 1, j + 2]) assert.ok(Math.abs(Math.hypot(position[0] - centre(link)[0], position[1] - centre(link)[1]) - half) < 1e-3, `ring ${j + 1} is at the end of link ${link}`);
        assert.ok(Math.hypot(centre(j + 1)[0] - centre(j + 2)[0], centre(j + 1)[1] - centre(j + 2)[1]) > 1.5 * half, 'so it is at the end where they meet');
      });
    }
    assert.ok(signs.has(-1) && signs.has(1), 'torques of both signs are seen');
    await page.selectOption('#colour', 'position_x');
    const ends = number_in((await page.textContent('#ramp span:last-child')).slice(2));
    const { links, rings } = await scene(page);
    assert.deepEqual(rings, []);
    links.forEach(({ name, colour }) => near(parts(colour), shade(value(25, `${name}.pose`) / ends), 2, name));
    await page.selectOption('#colour', '');
    for (const { name, colour } of (await scene(page)).links) assert.equal(colour, replay.bodies.find((b) => b.name === name).colour);
  });
});

test('the following camera moves with the middle of the robot', async () => {
  await with_page([await embed(fixtures)], '#cam=follow', async (page) => {
    await ready(page);
    const middle = (frame) => [0, 1, 2].map((a) => [1, 2, 3].reduce((sum, i) => sum + value(frame, `link_${i}.pose`, a) / 3, 0));
    const before_move = await camera(page);
    await page.evaluate((t) => window.coluber.seek(t), time_of(25));
    const after_move = await camera(page);
    const step = middle(25).map((x, a) => x - middle(0)[a]);
    assert.ok(Math.hypot(...step) > 1e-3, 'the robot moves');
    near(after_move.target.map((x, a) => x - before_move.target[a]), step, 1e-6, 'target');
    near(after_move.position.map((x, a) => x - before_move.position[a]), step, 1e-6, 'camera');
  });
});

test('a trail runs from where its link began to where it is now', async () => {
  await with_page([await embed(fixtures)], '#trails=link_1,link_3', async (page) => {
    await ready(page);
    for (const frame of [5, 19]) {
      await page.evaluate((t) => window.coluber.seek(t), time_of(frame));
      const { trails } = await scene(page);
      assert.deepEqual(trails.map((t) => t.name), ['link_1', 'link_3']);
      for (const { name, start, end } of trails) {
        near(start.slice(0, 2), [0, 1].map((a) => value(0, `${name}.pose`, a)), 1e-6, `${name} starts`);
        near(end.slice(0, 2), [0, 1].map((a) => value(frame, `${name}.pose`, a)), 1e-6, `${name} ends`);
      }
    }
  });
});

test('time passes at the speed chosen, at every speed there is', async () => {
  await with_page([make_synthetic({ frames: 401 })], '', async (page) => {
    await ready(page);
    const speeds = await page.locator('#speed option').evaluateAll((all) => all.map((o) => Number(o.value)));
    assert.ok(speeds.includes(10) && speeds.includes(0.1));
    for (const speed of speeds) {
      await page.selectOption('#speed', String(speed));
      // ten pictures, each 40 ms after the last by the page's clock
      const passed = await page.evaluate(() => {
        const { requestAnimationFrame: real, performance: { now } } = window;
        let waiting = [];
        let ms = 5000;
        window.requestAnimationFrame = (act) => waiting.push(act);
        performance.now = () => ms;
        window.coluber.seek(1);
        window.coluber.play();
        for (let i = 0; i < 10; ++i) {
          ms += 40;
          for (const act of waiting.splice(0)) act(ms);
        }
        const t = window.coluber.time - 1;
        window.coluber.pause();
        window.requestAnimationFrame = real;
        performance.now = now;
        for (const act of waiting.splice(0)) act(ms);
        return t;
      });
      assert.ok(Math.abs(passed - 0.4 * speed) < 1e-9, `${passed} s at ${speed}×`);
    }
  });
});

test('runs of other lengths and rates are shown at the same time, and stepped to the end of the longer', async () => {
  const short = make_synthetic({ frames: 21, rate: 20 });
  const long = make_synthetic({ frames: 41, rate: 10, title: 'longer' });
  for (const runs of [[short, long], [long, short]]) {
    await with_page(runs, '#t=0.5&plot=energy', async (page) => {
      await ready(page);
      const frames = () => page.evaluate(() => window.coluber.drawnScene().map((a) => a.frame));
      const at_half = runs.map((run) => 0.5 * run.replay.rate_hz);
      assert.deepEqual(await frames(), at_half);
      const poses = await page.evaluate(() => [0, 1].map((run) => window.coluber.poseOf('moving_box', run)[1]));
      near(poses, at_half.map((k) => 0.02 * k), 1e-6, 'poses');
      await page.evaluate(() => window.coluber.seek(0.95));
      let t = await page.evaluate(() => window.coluber.time);
      for (let i = 0; i < 4; ++i) {
        await page.keyboard.press('.');
        const now = await page.evaluate(() => window.coluber.time);
        assert.ok(now > t, `${now} after ${t}`);
        t = now;
      }
      assert.ok(t > 1.2, `${t}`);
      assert.equal(await page.textContent('#readout'), runs[0] === short ? '– J' : `${Math.round(10 * t)} J`);
      await page.evaluate(() => window.coluber.seek(3.8));
      await page.keyboard.press('.');
      assert.ok(Math.abs((await page.evaluate(() => window.coluber.time)) - 3.9) < 1e-6);
      await page.keyboard.press('End');
      assert.equal(await page.evaluate(() => window.coluber.time), 4);
      const lines = await page.evaluate(() => window.coluber.plot().map((s) => s.values.filter(Number.isFinite).length));
      assert.deepEqual(lines, runs.map((run) => (run === short ? 11 : 41)), 'lines end with their runs');
    });
  }
});

test('steps go by frames even where frames share a time', async () => {
  await with_page([make_synthetic({ frames: 41, time: (k) => Math.floor(k / 4) / 5 })], '#t=1', async (page) => {
    await ready(page);
    const frame = await page.evaluate(() => window.coluber.frame);
    for (let i = 0; i < 8; ++i) await page.keyboard.press(',');
    assert.equal(await page.evaluate(() => window.coluber.frame), frame - 8);
    for (let i = 0; i < 8; ++i) await page.keyboard.press('.');
    assert.equal(await page.evaluate(() => window.coluber.frame), frame);
  });
});

test('the figures are those of run.json', async () => {
  const { summary } = JSON.parse(await readFile(join(fixtures, 'run.json'), 'utf8'));
  const factor = { '°': 180 / Math.PI, µm: 1e6 };
  await with_page([packed], '', async (page) => {
    await ready(page);
    const rows = await page.locator('#figures tr').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
    const keys = Object.keys(summary).filter((k) => k !== 'final_state');
    assert.ok(keys.length > 5);
    assert.equal(rows.length, keys.length);
    keys.forEach((key, i) => {
      const [, text] = rows[i];
      if (typeof summary[key] !== 'number') return assert.equal(text, summary[key] === null ? '–' : String(summary[key]), key);
      const expected = summary[key] * (factor[text.split(' ').at(-1)] ?? 1);
      assert.ok(Math.abs(number_in(text) - expected) <= 0.01 * Math.abs(expected), `${key}: ${text} for ${expected}`);
    });
    assert.match(rows[keys.indexOf('distance')][0], /distance/);
    assert.match(rows[keys.indexOf('distance')][1], / m$|µm$/);
  });
});

test('the parameters are those of the scenario, and two runs show where they differ', async () => {
  const run = JSON.parse(packed);
  const leaves = (table, prefix = '') => Object.entries(table).flatMap(([key, x]) => (x && typeof x === 'object' && !Array.isArray(x) ? leaves(x, `${prefix}${key}.`) : [[prefix + key, x]]));
  const expected = leaves(run.run.scenario).filter(([key, x]) => x !== null && key !== 'title');
  const rows_of = (page) => page.locator('#parameters tr').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
  await with_page([packed], '', async (page) => {
    await ready(page);
    const rows = new Map(await rows_of(page));
    assert.ok(expected.length > 10);
    assert.deepEqual([...rows.keys()].sort(), expected.map(([key]) => key).sort());
    for (const [key, x] of expected) {
      if (typeof x === 'number') assert.ok(Math.abs(number_in(rows.get(key)) - x) <= 1e-5 * Math.abs(x), `${key}: ${rows.get(key)} for ${x}`);
      if (typeof x === 'string' && x !== 'inf') assert.equal(rows.get(key), x, key);
    }
  });
  const other = JSON.parse(packed);
  other.run.scenario.duration = 77;
  other.run.summary = { distance: 1, only_here: 5 };
  await with_page([packed, other], '', async (page) => {
    await ready(page);
    assert.deepEqual((await rows_of(page))[1], ['duration', String(run.run.scenario.duration), '77']);
    assert.equal(await page.locator('#parameters tr.differs').count(), 1);
    const figures = await page.locator('#figures tr').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
    assert.ok(figures.some((r) => r[0] === 'only here' && r[1] === '–' && r[2] === '5'), JSON.stringify(figures));
  });
});

test('warnings of the run are seen, and only when there are some', async () => {
  await with_page([packed], '', async (page) => {
    await ready(page);
    assert.equal(await page.isVisible('#warnings'), false);
  });
  const run = JSON.parse(packed);
  run.run.warnings = ['two steps did not converge', { message: 'the step is large' }];
  await with_page([run], '', async (page) => {
    await ready(page);
    assert.equal(await page.isVisible('#warnings'), true);
    assert.deepEqual(await page.locator('#warnings li').allTextContents(), ['two steps did not converge', 'the step is large']);
  });
});

test('the readout gives the recorded values of the moment', async () => {
  await with_page([await embed(fixtures)], '#plot=joint_torque', async (page) => {
    await ready(page);
    for (const frame of [0, 7, 22]) {
      await page.evaluate((t) => window.coluber.seek(t), time_of(frame));
      const words = await page.textContent('#readout');
      const found = words.split(' · ').map((part) => number_in(part.replace(/^\d+: /, '')));
      [1, 2].forEach((j) => assert.ok(Math.abs(found[j - 1] - value(frame, `joint_torque.${j}`)) <= 0.006 * Math.abs(value(frame, `joint_torque.${j}`)), words));
      assert.match(words, / N m$/);
    }
  });
});

// The address --------------------------------------------------------------------------------------

const kept = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
// all that a person can set, as the page shows it
const settings = (page) => page.evaluate(() => {
  const by = (id) => document.getElementById(id);
  const pressed = (id) => [...by(id).querySelectorAll('[aria-pressed=true]')].map((b) => b.textContent);
  return {
    t: window.coluber.time, cam: window.coluber.camera().kind, plot: by('channel').value, series: pressed('members'), trails: pressed('trails'), drawn: window.coluber.drawnScene()[0].trails.map((t) => t.name).sort(),
    lines: window.coluber.plot().length, forces: by('forces').checked, arrow: by('force_size').value, vectors: by('vectors').value, colour: by('colour').value, speed: by('speed').value,
    loop: by('loop').getAttribute('aria-pressed'), theme: document.documentElement.dataset.theme, ghost: by('ghost').checked, seen: window.coluber.drawnScene()[1].visible, shadows: by('shadows').checked, panel: document.body.classList.contains('no_panel'),
  };
});

test('the address keeps every setting, brings it back, and is followed when it changes', async () => {
  const wheeled = make_wheeled();
  wheeled.replay.fields.push(...[1, 2].map((i) => ({ name: `push.${i}`, label: `push ${i}`, kind: 'vector', body: `link_${i}`, unit: 'N', offset: 1, count: 3 })), ...[1, 2].map((i) => ({ name: `pull.${i}`, label: `pull ${i}`, kind: 'vector', body: `link_${i}`, unit: 'N', offset: 1, count: 3 })));
  await with_page([wheeled, make_wheeled({ frames: 8 })], '', async (page) => {
    await ready(page);
    const original = await settings(page);
    await page.fill('#scrubber', '0.3');
    await page.click('[data-camera=side]');
    await page.selectOption('#channel', 'position_x');
    await page.click('#members button:text-is("2")');
    await page.click('#trails button:text-is("1")');
    await page.fill('#force_size', '-0.4');
    await page.click('#forces');
    await page.selectOption('#vectors', 'pull');
    await page.selectOption('#colour', '');
    await page.selectOption('#speed', '5');
    await page.click('#loop');
    await page.click('#theme');
    await page.click('#ghost');
    await page.click('#shadows');
    await page.click('#panel_toggle');
    const expected = { t: '0.30', cam: 'side', plot: 'position_x', trails: 'link_2,link_1', forces: '0', arrow: '-0.4', vectors: 'pull', colour: '', speed: '5', loop: '1', theme: 'dark', ghost: '0', shadows: '0', panel: '0' };
    await until(page, () => /panel=0/.test(location.hash));
    const { series, ...rest } = await kept(page);
    assert.deepEqual(rest, expected);
    assert.deepEqual(series.split(','), ['wheel_1', 'wheel_5', '4', '2']);
    const set = await settings(page);
    for (const key of Object.keys(original)) assert.notDeepEqual(set[key], original[key], `${key} was changed`);
    const address = await page.evaluate(() => location.hash);
    await page.reload();
    await ready(page);
    assert.deepEqual(await settings(page), set);
    await page.evaluate(() => (location.hash = '#t=0'));
    await until(page, () => window.coluber.time === 0);
    assert.deepEqual(await settings(page), original, 'an address that says nothing gives the usual view');
    await page.evaluate((hash) => (location.hash = hash), address);
    await until(page, () => window.coluber.time > 0.2);
    assert.deepEqual(await settings(page), set, 'a link pasted into the address is followed');
  });
});

test('zero in the address is a time like others, also in a run that starts before it', async () => {
  await with_page([make_synthetic({ time: (k) => (k - 10) / 20 })], '#t=0', async (page) => {
    await ready(page);
    assert.equal(await page.evaluate(() => window.coluber.time), 0);
    assert.equal(await page.evaluate(() => window.coluber.frame), 10);
  });
});

test('a link is followed even if the view of before is written into the address meanwhile', async () => {
  // the moment after which the address is written comes when the test says
  const hold = () => {
    const later = window.setTimeout.bind(window);
    window.setTimeout = (act, delay, ...rest) => (delay === 400 ? ((window.write_address = act), 1) : later(act, delay, ...rest));
  };
  await with_page([packed], '', async (page) => {
    await ready(page);
    await page.keyboard.press('End');
    await page.evaluate(() => {
      location.hash = '#t=0.3&cam=top';
      window.write_address();
    });
    assert.match(await page.evaluate(() => location.hash), /t=0\.50/, 'the view of before came in between');
    await until(page, () => window.coluber.time === 0.3 && window.coluber.camera().kind === 'top', 10);
    await page.evaluate(() => window.write_address());
    const { t, cam } = await kept(page);
    assert.deepEqual({ t, cam }, { t: '0.30', cam: 'top' });
  }, hold);
});

test('the address follows the play, and the key 0 takes the camera out of it', async () => {
  await with_page([make_synthetic({ frames: 2001 })], '#cam=orbit', async (page) => {
    await ready(page);
    await page.keyboard.press('Space');
    await until(page, () => Number(new URLSearchParams(location.hash.slice(1)).get('t')) > 0.05);
    assert.equal(await page.evaluate(() => window.coluber.playing), true);
    await page.keyboard.press('Space');
    const box = await page.locator('#scene').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 230, { steps: 3 });
    await page.mouse.up();
    await until(page, () => /&view=/.test(location.hash));
    await page.keyboard.press('0');
    await until(page, () => !/&view=/.test(location.hash));
  });
});

// Keys ---------------------------------------------------------------------------------------------

test('every key of the help does what it says', async () => {
  const second = JSON.parse(packed);
  const time = (page) => page.evaluate(() => window.coluber.time);
  const pressed = async (page, key) => {
    await page.keyboard.press(key);
    return settings(page);
  };
  const checks = {
    space: async (page) => {
      await page.keyboard.press('Space');
      assert.equal(await page.evaluate(() => window.coluber.playing), true);
      await page.keyboard.press('Space');
      assert.equal(await page.evaluate(() => window.coluber.playing), false);
    },
    ',': async (page) => assert.ok(Math.abs((await pressed(page, ',')).t - 0.28) < 1e-6),
    '.': async (page) => assert.ok(Math.abs((await pressed(page, '.')).t - 0.32) < 1e-6),
    '←': async (page) => assert.equal((await pressed(page, 'ArrowLeft')).t, 0),
    '→': async (page) => assert.equal((await pressed(page, 'ArrowRight')).t, 0.5),
    Home: async (page) => assert.equal((await pressed(page, 'Home')).t, 0),
    End: async (page) => assert.equal((await pressed(page, 'End')).t, 0.5),
    '+': async (page) => assert.equal((await pressed(page, '+')).speed, '2'),
    '−': async (page) => assert.equal((await pressed(page, '-')).speed, '0.5'),
    l: async (page) => assert.equal((await pressed(page, 'l')).loop, 'true'),
    1: async (page) => {
      await page.click('[data-camera=top]');
      assert.equal((await pressed(page, '1')).cam, 'orbit');
    },
    2: async (page) => assert.equal((await pressed(page, '2')).cam, 'top'),
    3: async (page) => assert.equal((await pressed(page, '3')).cam, 'side'),
    4: async (page) => assert.equal((await pressed(page, '4')).cam, 'follow'),
    0: async (page) => {
      const fitted = await camera(page);
      const box = await page.locator('#scene').boundingBox();
      await page.mouse.move(box.x + 300, box.y + 200);
      await page.mouse.wheel(0, -600);
      assert.notDeepEqual(await camera(page), fitted);
      await page.keyboard.press('0');
      const { target, position } = await camera(page);
      near([...target, ...position], [...fitted.target, ...fitted.position], 1e-6, 'camera');
    },
    f: async (page) => assert.equal((await pressed(page, 'f')).forces, false),
    t: async (page) => assert.deepEqual((await pressed(page, 't')).drawn, []),
    g: async (page) => assert.equal((await pressed(page, 'g')).seen, false),
    c: (page) => Promise.all([page.waitForEvent('download'), page.keyboard.press('c')]),
    d: async (page) => assert.equal((await pressed(page, 'd')).theme, 'dark'),
    i: async (page) => assert.equal((await pressed(page, 'i')).panel, true),
    '?': async (page) => {
      await page.keyboard.press('?');
      assert.equal(await page.isVisible('#keys'), true);
      await page.keyboard.press('?');
      assert.equal(await page.isVisible('#keys'), false);
    },
  };
  await with_page([packed, second], '', async (page) => {
    await ready(page);
    const told = await page.locator('#keys dt').allTextContents();
    assert.deepEqual(told.flatMap((keys) => keys.split(' ')).sort(), Object.keys(checks).sort(), 'the help names these keys');
    for (const [key, check] of Object.entries(checks)) {
      await page.evaluate(() => (location.hash = `#t=0.3&forces=1&x=${Math.random()}`));
      await until(page, () => window.coluber.time === 0.3 && window.coluber.camera().kind === 'orbit');
      assert.equal(await time(page), 0.3);
      try {
        await check(page);
      } catch (error) {
        error.message = `key ${key}: ${error.message}`;
        throw error;
      }
    }
  });
});

test('by keyboard alone the controls work, keep the focus, and leave the time where it is', async () => {
  await with_page([packed], '#t=0.2', async (page) => {
    await ready(page);
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    for (const id of ['forces', 'shadows']) {
      await page.focus(`#${id}`);
      await page.keyboard.press('Space');
      assert.equal(await page.isChecked(`#${id}`), false, id);
    }
    await page.focus('#parameters_box summary');
    await page.keyboard.press('Space');
    assert.equal(await page.evaluate(() => document.getElementById('parameters_box').open), true);
    await page.focus('#force_size');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.inputValue('#force_size'), '0.05');
    await page.focus('#loop');
    await page.keyboard.press('Space');
    assert.equal(await page.getAttribute('#loop', 'aria-pressed'), 'true');
    assert.equal(await focused(), 'loop');
    for (const group of ['members', 'trails']) {
      const chip = page.locator(`#${group} button:text-is("2")`);
      const was = await chip.getAttribute('aria-pressed');
      await chip.focus();
      await page.keyboard.press('Enter');
      assert.notEqual(await chip.getAttribute('aria-pressed'), was, group);
      assert.equal(await focused(), '2', group);
      await page.keyboard.press('Space');
      assert.equal(await chip.getAttribute('aria-pressed'), was, group);
    }
    assert.equal(await page.evaluate(() => window.coluber.playing), false);
    assert.equal(await page.evaluate(() => window.coluber.time), 0.2);
    await page.focus('#scrubber');
    await page.keyboard.press('End');
    assert.equal(await page.evaluate(() => window.coluber.time), 0.5);
    await page.click('#loop');
    await page.keyboard.press('Home');
    assert.equal(await page.evaluate(() => window.coluber.time), 0, 'a button pressed by hand gives the keys back');
  });
});

test('a key held down toggles once and saves one picture, but steps on', async () => {
  await with_page([packed], '#t=0.2', async (page) => {
    await ready(page);
    let pictures = 0;
    page.on('download', () => ++pictures);
    for (const key of ['l', 'c', '.']) {
      await page.keyboard.down(key);
      await page.keyboard.down(key);
      await page.keyboard.down(key);
      await page.keyboard.up(key);
    }
    assert.equal(await page.getAttribute('#loop', 'aria-pressed'), 'true');
    assert.equal(await page.evaluate(() => window.coluber.frame), 13);
    await page.waitForTimeout(1000);
    assert.equal(pictures, 1);
  });
});

// Models to come -------------------------------------------------------------------------------------

test('with links and other moving bodies, colours, trails and joints go by the links', async () => {
  await with_page([make_wheeled()], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('#subtitle'), /4 links/);
    assert.ok((await page.locator('#colour option').evaluateAll((all) => all.map((o) => o.value))).includes('joint_torque'));
    assert.deepEqual(await page.locator('#trails button').allTextContents(), ['1', '2', '3', '4']);
    const drawn = await scene(page);
    assert.deepEqual(drawn.links.map((l) => l.name), ['link_1', 'link_2', 'link_3', 'link_4']);
    assert.deepEqual(drawn.trails.map((t) => t.name), ['link_2']);
    assert.equal(drawn.rings.length, 3);
  });
});

test('a trail leaves out the frames where its body is unknown', async () => {
  const run = make_synthetic();
  const f = run.replay.fields.find((g) => g.name === 'moving_sphere.pose');
  const bytes = Buffer.from(run.data.bytes, 'base64');
  for (const k of [0, 7, 8, 20]) for (let i = 0; i < 7; ++i) bytes.writeFloatLE(NaN, 4 * (k * run.replay.floats_per_frame + f.offset + i));
  run.data.bytes = bytes.toString('base64');
  await with_page([run], '#t=1&trails=moving_sphere', async (page) => {
    await ready(page);
    const { trails } = await scene(page);
    near(trails[0].start.slice(0, 2), [0.4, 0.02], 1e-6, 'start');
    near(trails[0].end.slice(0, 2), [0.4, 0.38], 1e-6, 'end');
    await look(page);
  });
});

// What goes wrong ------------------------------------------------------------------------------------

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
  const file = join(folder, `page${++sequence}.html`);
  await writeFile(file, await make_page(packed));
  const { page } = await open_page(browser.context, pathToFileURL(file).href);
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

test('the saved picture carries its scale bar', async () => {
  await with_page([packed], '#cam=top&shadows=0', async (page) => {
    await ready(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#screenshot')]);
    const file = await readFile(await download.path());
    const { bar, ratio } = await page.evaluate(() => {
      const [i, stage] = [document.querySelector('#scale i'), document.querySelector('#scene')].map((e) => e.getBoundingClientRect());
      return { bar: [i.left - stage.left, i.bottom - stage.top, i.width], ratio: document.querySelector('#scene').width / stage.width };
    });
    // the pixels just above the bar's line are the floor's, those on it are dark from end to end
    const dark = await page.evaluate(async ([data, x, y, width, scale]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      const draw = canvas.getContext('2d');
      draw.drawImage(image, 0, 0);
      const { data: line } = draw.getImageData(Math.round(scale * x), Math.round(scale * y), Math.round(scale * width), 1);
      return Array.from({ length: line.length / 4 }, (_, i) => line[4 * i]).filter((red) => red < 170).length / (line.length / 4);
    }, [file.toString('base64'), bar[0], bar[1] - 0.4, bar[2], ratio]);
    assert.ok(dark > 0.95, `${dark} of the bar is there`);
  });
});
