// What the page claims, against the recorded numbers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { embed, ready } from '../page.mjs';
import { make_synthetic } from '../synthetic.mjs';
import { camera, field, fixtures, legend_scale, near, number_in, packed, parts, replay, scene, shade, time_of, value, values, with_page } from './support.mjs';

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

test('on a slope an arrow points downhill in every camera, and the page says what x, y and z are', async () => {
  const run = JSON.parse(packed);
  run.run.scenario.world = { ...run.run.scenario.world, tilt_deg: 10, tilt_direction_deg: 30 };
  await with_page([run], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('#slope'), /downhill: slope of 10°; x and y lie in it, z is its normal/);
    for (const name of ['orbit', 'top', 'follow', 'side']) {
      await page.click(`[data-camera=${name}]`);
      await page.evaluate(() => window.coluber.drawn());
      const { drawn, seen } = await page.evaluate(() => {
        const { a, b } = new window.DOMMatrix(getComputedStyle(document.querySelector('#slope i')).transform);
        const [x, y, z] = window.coluber.camera().target;
        const to = window.coluber.project(x + 0.01 * Math.cos(Math.PI / 6), y + 0.01 * Math.sin(Math.PI / 6), z);
        const from = window.coluber.project(x, y, z);
        return { drawn: Math.atan2(b, a), seen: Math.atan2(to[1] - from[1], to[0] - from[0]) };
      });
      // perspective bends a centimetre by less than a degree
      assert.ok(Math.abs(Math.sin(drawn - seen)) < 0.02 && Math.cos(drawn - seen) > 0, `${name}: ${drawn} for ${seen}`);
    }
  });
  await with_page([packed], '', async (page) => {
    await ready(page);
    assert.equal(await page.isHidden('#slope'), true);
  });
});
