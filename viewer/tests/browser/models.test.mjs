// What current files bring: families of arrows, groups with components, curves with numbers along them, parents, wheels.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { embed, ready, until } from '../page.mjs';
import { hinges, make_rod, make_spatial, make_tree, path, rod, torque, turn } from '../synthetic.mjs';
import { fixtures, kept, legend_scale, look, near, number_in, parts, scene, shade, with_page } from './support.mjs';

const choices = (page, id) => page.locator(`#${id} option`).evaluateAll((all) => all.map((o) => o.value));
const ramp_end = async (page) => number_in((await page.textContent('#ramp span:last-child')).slice(2));

test('each family of arrows has its own colour, scale and switch', async () => {
  await with_page([make_spatial()], '#t=0.5', async (page) => {
    await ready(page);
    const { families } = await scene(page);
    assert.deepEqual(families.map((f) => [f.name, f.colour, f.arrows.length]), [['ground', '#009e73', 4], ['obstacle', '#cc3311', 1]]);
    assert.match(await page.textContent('#force_scale'), /^ground forces [\d.]+ N$/);
    assert.match(await page.textContent('#force_scale_2'), /^obstacle forces [\d.]+ N$/);
    const [ground, obstacle] = [await legend_scale(page, 'force_scale'), await legend_scale(page, 'force_scale_2')];
    assert.ok(ground > 2 * obstacle, `${ground} and ${obstacle} metres per newton`);
    const vector = ({ base, tip }) => tip.map((x, a) => x - base[a]);
    families[0].arrows.forEach((arrow, i) => near(vector(arrow), [0, 0, ground * (5 + i)], 0.003 * ground * 9, 'ground'));
    near(vector(families[1].arrows[0]), [0, 70 * obstacle, 0], 0.003 * 70 * obstacle, 'obstacle');
    assert.deepEqual(await page.locator('.row.family').allTextContents(), ['Ground forces', 'Obstacle forces']);
    const colours = await page.evaluate(() => ['force_scale', 'force_scale_2'].map((id) => getComputedStyle(document.querySelector(`#${id} i`)).color));
    assert.deepEqual(colours, ['rgb(0, 158, 115)', 'rgb(204, 51, 17)']);

    await page.fill('#family_size_1', '0.5');
    assert.ok(Math.abs((await legend_scale(page, 'force_scale')) / ground - Math.sqrt(10)) < 0.03, 'its slider lengthens one family');
    assert.ok(Math.abs((await legend_scale(page, 'force_scale_2')) / obstacle - 1) < 0.01, 'and leaves the other');
    await page.click('#family_1');
    const counts = async () => (await scene(page)).families.map((f) => f.arrows.length);
    assert.deepEqual(await counts(), [0, 1]);
    assert.equal(await page.isHidden('#force_scale'), true);
    assert.equal(await page.evaluate(() => document.getElementById('forces').indeterminate), true);
    await until(page, () => /forces=obstacle&/.test(location.hash));
    assert.equal((await kept(page)).sizes, 'ground:0.5');
    await page.reload();
    await ready(page);
    assert.deepEqual(await counts(), [0, 1]);
    assert.equal(await page.inputValue('#family_size_1'), '0.5');
    await page.keyboard.press('f');
    assert.deepEqual(await counts(), [0, 0]);
    await page.keyboard.press('f');
    assert.deepEqual(await counts(), [4, 1]);
  });
});

test('the forces of each family are plotted by link', async () => {
  await with_page([make_spatial()], '#plot=ground_force', async (page) => {
    await ready(page);
    assert.ok((await choices(page, 'channel')).includes('contact_force'));
    const series = await page.evaluate(() => window.coluber.plot().map((s) => [s.title, s.values[3]]));
    assert.deepEqual(series, [1, 2, 3, 4].map((i) => [`ground forces on link ${i}`, 4 + i]));
  });
});

test('an older run has one family, with the colour and the switch it had', async () => {
  await with_page([await embed(fixtures)], '#t=0.3', async (page) => {
    await ready(page);
    const { families } = await scene(page);
    assert.deepEqual(families.map((f) => [f.name, f.colour]), [['contact', '#b87512']]);
    assert.equal(await page.locator('.row.family').count(), 0);
    assert.equal(await page.textContent('#forces_row'), 'Contact forces');
    assert.equal(await page.locator('#legend .force').count(), 2, 'one scale for it, one for vectors');
  });
});

test('an older run beside a current one: each with its own families', async () => {
  await with_page([make_spatial(), await embed(fixtures)], '#t=0.3', async (page) => {
    await ready(page);
    assert.deepEqual((await scene(page, 1)).families.map((f) => f.name), ['contact']);
    assert.deepEqual(await page.locator('.row.family').allTextContents(), ['Ground forces', 'Obstacle forces', 'Contact force']);
  });
});

test('joints with yaw and pitch are grouped by component, with torque rings and colours', async () => {
  await with_page([make_spatial()], '#t=0.5', async (page) => {
    await ready(page);
    const offered = await choices(page, 'channel');
    assert.deepEqual(offered.slice(0, 6), ['joint_angle.yaw', 'joint_angle.pitch', 'joint_torque', 'joint_torque.yaw', 'joint_torque.pitch', 'energy']);
    assert.equal(await page.inputValue('#channel'), 'joint_torque');
    assert.equal(await page.inputValue('#colour'), 'joint_torque');
    const { rings } = await scene(page);
    const range = await ramp_end(page);
    assert.match(await page.textContent('#ramp'), /^joint torque {2}0≥ /, 'a size is never below zero');
    assert.equal(rings.length, 3);
    rings.forEach(({ colour }, j) => near(parts(colour), shade(Math.hypot(...torque(10, j + 1)) / range), 2, `ring ${j + 1}`));
    await page.selectOption('#colour', 'joint_torque.pitch');
    const signed = await ramp_end(page);
    (await scene(page)).rings.forEach(({ colour }, j) => near(parts(colour), shade(torque(10, j + 1)[1] / signed), 2, `pitch of ring ${j + 1}`));
    await page.selectOption('#channel', 'joint_torque.yaw');
    assert.deepEqual(await page.locator('#members button').allTextContents(), ['all', '1', '2', '3']);
    const series = await page.evaluate(() => window.coluber.plot().map((s) => [s.title, s.values[7]]));
    assert.deepEqual(series.map(([title]) => title), ['joint torque 1 yaw', 'joint torque 2 yaw', 'joint torque 3 yaw']);
    near(series.map(([, x]) => x), [1, 2, 3].map((j) => torque(7, j)[0]), 1e-6, 'yaw');
    const colours = await choices(page, 'colour');
    for (const name of ['joint_angle.yaw', 'joint_torque.yaw', 'ground_force', 'position_x']) assert.ok(colours.includes(name), name);
    assert.ok(!colours.includes('energy'));
  });
});

test('two links have one joint, and nothing that is one number alone colours it', async () => {
  await with_page([make_spatial({ links: 2 })], '', async (page) => {
    await ready(page);
    assert.equal((await scene(page)).rings.length, 1);
    assert.ok(!(await choices(page, 'colour')).includes('energy'));
  });
});

test('a curve that moves is a tube through its points, as thick as its radius says', async () => {
  await with_page([make_rod({ height: 0.3 })], '#t=0.5', async (page) => {
    await ready(page);
    const tube = (await scene(page)).tubes.find((t) => t.name === 'rod');
    tube.points.forEach((p, i) => near(p, [...rod.point(10, i).slice(0, 2), 0.3], 1e-5, `point ${i}`));
    near(tube.radii, Array.from({ length: rod.points }, (_, i) => rod.radius(10, i)), 1e-5, 'radii');
    assert.ok(tube.colours.every((c) => c === '#009e73'), 'its own colour');
    await page.evaluate(() => window.coluber.seek(1));
    (await scene(page)).tubes[0].points.forEach((p, i) => near(p, [...rod.point(20, i).slice(0, 2), 0.3], 1e-5, `point ${i} later`));
    assert.doesNotMatch(await page.textContent('#about'), /not shown/);
  });
});

test('numbers along a curve colour it, with their scale', async () => {
  await with_page([make_rod()], '#t=0.5', async (page) => {
    await ready(page);
    assert.deepEqual(await choices(page, 'colour'), ['', 'bend', 'load', 'odd']);
    assert.equal(await page.isHidden('#ramp'), true);
    const plain = (await look(page)).hash;
    await page.selectOption('#colour', 'bend');
    assert.match(await page.textContent('#ramp'), /^bend {2}≤ −[\d.]+≥ [\d.]+ 1\/m$/);
    const range = await ramp_end(page);
    const tube = (await scene(page)).tubes.find((t) => t.name === 'rod');
    tube.colours.forEach((c, i) => near(parts(c), shade(rod.bend(10, i) / range), 2, `colour at ${i}`));
    assert.notEqual((await look(page)).hash, plain);
    await page.evaluate(() => window.coluber.seek(0));
    (await scene(page)).tubes[0].colours.forEach((c, i) => near(parts(c), shade(rod.bend(0, i) / range), 2, `colour at ${i}, earlier`));
    await page.selectOption('#colour', 'load');
    assert.match(await page.textContent('#ramp'), /^load {2}0≥ [\d.]+ N$/);
    await until(page, () => /colour=load/.test(location.hash));
    await page.reload();
    await ready(page);
    assert.equal(await page.inputValue('#colour'), 'load');
    await page.selectOption('#colour', 'odd');
    assert.ok((await scene(page)).tubes[0].colours.every((c) => c === '#009e73'), 'numbers that are not one per point colour nothing');
    assert.ok((await scene(page)).tubes[1].colours.every((c) => c === '#d55e00'), 'the path keeps its colour');
  });
});

test('a curve that stands is drawn through its points; in a planar run it lies on the floor', async () => {
  await with_page([make_rod({ height: 0.3 })], '', async (page) => {
    await ready(page);
    const tube = (await scene(page)).tubes.find((t) => t.name === 'path');
    tube.points.forEach((p, i) => near(p, path[i], 1e-6, `point ${i}`));
    near(tube.radii, path.map(() => 0.01), 1e-6, 'radii');
    assert.equal(await page.evaluate(() => window.coluber.poseOf('path')), null);
  });
  await with_page([make_rod()], '#cam=top', async (page) => {
    await ready(page);
    const lowest = -Math.max(...Array.from({ length: rod.points }, (_, i) => rod.radius(0, i)));
    const tube = (await scene(page)).tubes.find((t) => t.name === 'path');
    tube.points.forEach((p, i) => near(p, [path[i][0], path[i][1], lowest + 0.002], 1e-6, `point ${i}`));
    // its orange is seen
    const orange = await page.evaluate(() => {
      const { data } = window.coluber.pixels();
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] > data[i + 2] + 100 && data[i] > data[i + 1] + 60) ++n;
      return n;
    });
    assert.ok(orange > 500, `${orange} pixels`);
  });
});

test('what stands in both runs is drawn once, also a curve', async () => {
  await with_page([make_rod(), make_rod()], '', async (page) => {
    await ready(page);
    assert.deepEqual((await scene(page, 0)).tubes.map((t) => t.name), ['rod', 'path']);
    assert.deepEqual((await scene(page, 1)).tubes.map((t) => t.name), ['rod']);
  });
});

test('joints are found by the parents that the file names, also beside the axes', async () => {
  await with_page([make_tree()], '#t=0.5', async (page) => {
    await ready(page);
    const [board, { rings }] = [await page.evaluate(() => window.coluber.poseOf('link_1')), await scene(page)];
    assert.equal(rings.length, 2);
    rings.forEach(({ position }, i) => {
      const at = turn(board.slice(3), hinges[i]).map((x, a) => x + board[a]);
      near(position.slice(0, 2), at.slice(0, 2), 1e-3, `joint ${i + 1}`); // a hinge is known but for its height
    });
    assert.deepEqual(await page.locator('#trails button').allTextContents(), ['1', '2', '3'], 'wheels are no links');
  });
});

test('joints are where the file says, with the values of their own coordinates', async () => {
  await with_page([make_tree({ told: true })], '#t=0.5&colour=joint_torque', async (page) => {
    await ready(page);
    const [board, { rings }] = [await page.evaluate(() => window.coluber.poseOf('link_1')), await scene(page)];
    rings.forEach(({ position }, i) => near(position, turn(board.slice(3), hinges[i]).map((x, a) => x + board[a]), 1e-3, `joint ${i + 1}`)); // its height too
    // frame 10: coordinate 1, sin 11 < 0, belongs to the second arm; coordinate 2, sin 12 < 0, to the first
    await page.evaluate(() => window.coluber.seek(0.05)); // frame 1: sin 2 = 0.91 and sin 3 = 0.14
    const { rings: now } = await scene(page);
    const red = (colour) => Number.parseInt(colour.slice(1, 3), 16) - Number.parseInt(colour.slice(5, 7), 16);
    assert.ok(red(now[1].colour) > red(now[0].colour), `the second arm has coordinate 1: ${now.map((r) => r.colour)}`);
  });
});

test('camera and trails follow a robot whose links are boxes', async () => {
  await with_page([make_tree()], '#t=0&cam=follow&trails=link_1', async (page) => {
    await ready(page);
    const target = () => page.evaluate(() => window.coluber.camera().target);
    const before = await target();
    await page.evaluate(() => window.coluber.seek(1));
    const after = await target();
    assert.ok(after[0] - before[0] > 0.2, `${before} to ${after}`); // the board goes 0.4 m along x
    const { trails } = await scene(page);
    assert.deepEqual(trails.map((t) => t.name), ['link_1']);
    near(trails[0].end.slice(0, 2), [0.4, 0], 1e-3, 'the trail ends at the board');
  });
});

test('a wheel is seen to roll, from the side and from above', async () => {
  const run = make_tree();
  // one wheel that stands and turns
  run.replay.bodies = run.replay.bodies.filter((b) => b.name === 'wheel_1');
  run.replay.fields = run.replay.fields.filter((f) => f.name === 'time' || f.body === 'wheel_1');
  run.replay.groups = [];
  const { offset } = run.replay.fields[1];
  const bytes = Buffer.from(run.data.bytes, 'base64');
  for (let k = 0; k < run.replay.frames; ++k) [0, 0, 0.1, Math.cos(0.1 * k), 0, Math.sin(0.1 * k), 0].forEach((x, i) => bytes.writeFloatLE(x, 4 * (k * run.replay.floats_per_frame + offset + i)));
  run.data.bytes = bytes.toString('base64');
  for (const cam of ['side', 'top']) {
    await with_page([run], `#cam=${cam}&trails=&shadows=0`, async (page) => {
      await ready(page);
      const pictures = new Set();
      // a third of the angle between spokes each, and a turn of as much as that between two
      for (const frame of [0, 2, 4]) {
        await page.evaluate((t) => window.coluber.seek(t), frame / run.replay.rate_hz);
        const seen = await look(page);
        assert.ok(seen.blue > 500, `${seen.blue} blue pixels`);
        pictures.add(seen.hash);
      }
      assert.equal(pictures.size, 3, cam);
    });
  }
});

test('a replay of one moment is shown, and its values are points in the plot', async () => {
  await with_page([make_spatial({ frames: 1 })], '', async (page) => {
    await ready(page);
    assert.equal((await scene(page)).rings.length, 3);
    near(await page.evaluate(() => window.coluber.plot().map((s) => s.values[0])), [1, 2, 3].map((j) => Math.hypot(...torque(0, j))), 1e-6, 'values');
    for (const key of ['.', 'End', 'Space']) await page.keyboard.press(key);
    await until(page, () => !window.coluber.playing);
    assert.equal(await page.evaluate(() => window.coluber.time), 0);
    assert.ok(Math.abs(await page.evaluate(() => window.coluber.playheadTime())) < 0.01);
  });
});
