// Robots on wheels that follow a path: the floor under the wheels, the path on it, and what can be plotted.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { embed, ready } from '../page.mjs';
import { follower, make_follower, turn } from '../synthetic.mjs';
import { coluber, folder, look, near, options, scene, with_page } from './support.mjs';

const choices = (page, id) => page.locator(`#${id} option`).evaluateAll((all) => all.map((o) => o.value));
const chips = (page, id) => page.locator(`#${id} button`).allTextContents();
// Pixels of the path's orange, and of the blue of links and trails.
const count = (page) => page.evaluate(() => {
  const { data } = window.coluber.pixels();
  let orange = 0, blue = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] > data[i + 2] + 100 && data[i + 1] > data[i + 2] + 50) ++orange;
    if (data[i + 2] > data[i] + 60) ++blue;
  }
  return { orange, blue };
});

test('the floor of a planar run touches its wheels, however they are turned, and the path lies on it', async () => {
  const radius = 0.004;
  await with_page([make_follower({ thick: radius })], '#cam=side&t=0.5', async (page) => {
    await ready(page);
    const [tube] = (await scene(page)).tubes;
    assert.equal(tube.name, 'path');
    tube.points.forEach((p, i) => near(p, [...follower.path[i].slice(0, 2), -follower.wheel + 0.2 * radius], 1e-6, `point ${i}`));
    // every wheel as recorded: about its own y axis by the spin, which the links do not have
    for (const name of ['wheel_1_left', 'wheel_3_right']) {
      const pose = await page.evaluate((n) => window.coluber.poseOf(n), name);
      assert.equal(pose[2], 0);
      near(turn(pose.slice(3), [0, 1, 0]), [0, -1, 0], 1e-6, 'its axis');
      near(turn(pose.slice(3), [0, 0, 1]), [Math.sin(follower.spin(10)), 0, Math.cos(follower.spin(10))], 1e-6, 'its spoke');
    }
  });
});

test('a trail along a path is drawn over it, in a narrower line', async () => {
  await with_page([make_follower()], '#cam=top&t=1&trails=link_1', async (page) => {
    await ready(page);
    const [drawn] = [await scene(page)];
    const top = -follower.wheel + 1.3 * 0.002;
    assert.ok(drawn.trails[0].start[2] > top && drawn.trails[0].start[2] < top + 0.002, `${drawn.trails[0].start} over ${top}`);
    const before = await count(page);
    await page.evaluate(() => window.coluber.seek(0));
    const after = await count(page);
    assert.ok(before.blue > after.blue + 100, `a trail of ${before.blue - after.blue} pixels`);
    assert.ok(before.orange > 0.6 * after.orange, `the path keeps ${before.orange} of ${after.orange} pixels`);
  });
});

test('a path of a hair’s width is seen as well as one of four millimetres', async () => {
  const seen = [];
  for (const thick of [0.0001, 0.002]) {
    await with_page([make_follower({ thick })], '#cam=top&trails=&shadows=0', async (page) => {
      await ready(page);
      seen.push((await count(page)).orange);
    });
  }
  assert.ok(seen[0] > 2500 && seen[0] > 0.8 * seen[1], `${seen} pixels`);
});

test('what a file lists by link is plotted and may colour the links; positions are those of links, not of wheels', async () => {
  await with_page([make_follower()], '#plot=path_error&series=1,2,3&t=0.5', async (page) => {
    await ready(page);
    assert.deepEqual(await choices(page, 'channel'), ['path_error', 'steering', 'position_x', 'position_y']);
    assert.deepEqual(await chips(page, 'members'), ['all', '1', '2', '3']);
    const series = await page.evaluate(() => window.coluber.plot().map((s) => [s.title, s.values[10]]));
    assert.deepEqual(series.map(([title]) => title), [1, 2, 3].map((i) => `path error ${i}`));
    near(series.map(([, x]) => x), [1, 2, 3].map((i) => follower.error(10, i)), 1e-6, 'values');
    assert.deepEqual(await choices(page, 'colour'), ['', 'path_error', 'position_x', 'position_y']);
    await page.selectOption('#channel', 'position_x');
    assert.deepEqual(await chips(page, 'members'), ['all', '1', '2', '3']);
  });
});

test('PIKo on a turn: its wheels turn, its path lies under them, slip and errors are plotted', options, async () => {
  const scenario = join(folder, 'turn.toml');
  await writeFile(scenario, 'duration = 2.5\n[robot]\nmodel = "wheeled"\nname = "piko"\n[path]\nshape = "turn"\nstraight = 0.5\n[controller]\nname = "n_trailer"\n');
  const done = spawnSync(coluber, ['run', scenario, '--out', join(folder, 'turn'), '-q'], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const run = await embed(join(folder, 'turn'));
  await with_page([run], '#t=2&plot=path_error&cam=follow', async (page) => {
    await ready(page);
    const [tube] = (await scene(page)).tubes;
    assert.ok(tube.visible && Math.abs(tube.points[0][2] + 0.065) < 0.001, `${tube.points[0]}`);
    const offered = await choices(page, 'channel');
    for (const name of ['wheel_rate', 'wheel_torque', 'wheel_slipping', 'path_s', 'path_error', 'heading_error', 'steering']) assert.ok(offered.includes(name), `${name} of ${offered}`);
    assert.deepEqual(await chips(page, 'members'), ['all', '1', '2', '3', '4', '5', '6']);
    assert.equal(await page.evaluate(() => window.coluber.plot().length), 3, 'some of six, so that they can be told apart');
    const colours = await choices(page, 'colour');
    for (const name of ['path_error', 'wheel_slipping', 'wheel_torque']) assert.ok(colours.includes(name), `${name} of ${colours}`);
    assert.deepEqual(await chips(page, 'trails'), ['1', '2', '3', '4', '5', '6']);
    // a wheel of 65 mm at 0.5 m/s turns by 7.7 rad in a second
    const spoke = async (t) => {
      await page.evaluate((s) => window.coluber.seek(s), t);
      const pose = await page.evaluate(() => window.coluber.poseOf('wheel_1_left'));
      return turn(pose.slice(3), [0, 0, 1])[2];
    };
    await page.evaluate(() => window.coluber.pause());
    const [first, second] = [await spoke(0.7), await spoke(0.8)];
    const turned = Math.abs(Math.acos(second) - Math.acos(first));
    const other = Math.abs(2 * Math.PI - Math.acos(second) - Math.acos(first));
    assert.ok(Math.min(Math.abs(turned - 0.77), Math.abs(other - 0.77), Math.abs(Math.acos(first) + Math.acos(second) - 0.77)) < 0.02, `${first} to ${second}`);
    const pictures = new Set();
    for (const t of [2, 2.02, 2.04]) {
      await page.evaluate((s) => window.coluber.seek(s), t);
      pictures.add((await look(page)).hash);
    }
    assert.equal(pictures.size, 3);
  });
});
