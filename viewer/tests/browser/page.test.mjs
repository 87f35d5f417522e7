// The page as it is opened: run, time, plot, cameras, words, sizes of screens.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { embed, ready, until } from '../page.mjs';
import { field, fixtures, look, packed, replay, time_of, value, values, with_page } from './support.mjs';

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

test('a run folder is also shown when its data is embedded unpacked', async () => {
  await with_page([await embed(fixtures)], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('#about'), /float32/);
  });
});
