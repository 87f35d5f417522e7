// Pages of `coluber force-map`, one moment, and `coluber quality`, the places of a path: mapped forces, plots, controls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { embed, ready, until } from '../page.mjs';
import { make_mapped, mapped } from '../synthetic.mjs';
import { coluber, folder, kept, legend_scale, look, near, options, scene, with_page } from './support.mjs';

const choices = (page, id) => page.locator(`#${id} option`).evaluateAll((all) => all.map((o) => o.value));
const vector = ({ base, tip }) => tip.map((x, a) => x - base[a]);
const transport = ['play', 'back', 'forward', 'loop', 'scrubber', 'speed'];
// Runs a study of a scenario that comes with Coluber; its folder as an embedded run.
async function study(name, scenario, ...words) {
  const out = join(folder, `${name}_${scenario}`);
  const done = spawnSync(coluber, [name, scenario, '--out', out, '-q', '--force', ...words], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return embed(out);
}

test('mapped forces are families of their own, beside contact forces, on one scale where they are of one size', async () => {
  await with_page([make_mapped({ frames: 3 })], '#t=0', async (page) => {
    await ready(page);
    const { families } = await scene(page);
    assert.deepEqual(families.map((f) => [f.name, f.colour, f.arrows.length]), [['obstacle', '#cc3311', 1], ['mapped_force', '#c2318f', 2], ['mapped_constraint', '#e08fc6', 2]]);
    assert.deepEqual(await page.locator('.row.family').allTextContents(), ['Obstacle forces', 'Mapped forces', 'Mapped constraint']);
    const [own, total, part] = [await legend_scale(page, 'force_scale'), await legend_scale(page, 'force_scale_2'), await legend_scale(page, 'force_scale_3')];
    assert.ok(Math.abs(total / part - 1) < 0.03, `${total} and ${part} metres per newton`);
    assert.ok(own < 0.5 * total, `contact forces of ten times the size: ${own} metres per newton`);
    const drawn = Math.hypot(...vector(families[1].arrows[0])) / Math.hypot(...mapped.force(0, 1));
    families[1].arrows.forEach((arrow, i) => near(vector(arrow), mapped.force(0, i + 1).map((f) => f * drawn), 1e-5, 'total'));
    families[2].arrows.forEach((arrow, i) => near(vector(arrow), mapped.part(0, i + 1).map((f) => f * drawn), 1e-5, 'its constraint part'));
    assert.ok((await choices(page, 'channel')).includes('mapped_force'));
    assert.ok((await choices(page, 'channel')).includes('mapped_constraint_force'));
    await page.click('#family_3');
    assert.deepEqual((await scene(page)).families.map((f) => f.arrows.length), [1, 2, 0]);
  });
});

test('arrows are as long as slender links need', async () => {
  const length = async (size) => {
    let found = 0;
    await with_page([make_mapped({ size })], '', async (page) => {
      await ready(page);
      found = Math.hypot(...vector((await scene(page)).families[1].arrows[0]));
    });
    return found;
  };
  const thick = await length([0.05, 0.05]);
  const slender = await length([0.005, 0.095]);
  assert.ok(slender > 0.3 * thick && slender <= thick, `${slender} m and ${thick} m`);
});

test('at one moment nothing plays, and the members lie side by side in the plot', async () => {
  await with_page([make_mapped({ frames: 1 })], '', async (page) => {
    await ready(page);
    assert.match(await page.textContent('#subtitle'), /one moment$/);
    for (const id of transport) assert.equal(await page.locator(`#${id}`).isDisabled(), true, id);
    for (const key of [' ', '.', ',', 'End', 'Home', 'l', 'ArrowRight']) await page.keyboard.press(key);
    await page.evaluate(() => window.coluber.play());
    assert.deepEqual(await page.evaluate(() => [window.coluber.playing, window.coluber.time, window.coluber.frame]), [false, 0, 0]);
    assert.equal(await page.isHidden('#playhead'), true);
    near(await page.evaluate(() => window.coluber.plot().map((s) => s.values[0])), [1, 2, 3, 4, 5].map((j) => mapped.torque(0, j)), 1e-6, 'all of the five joints');
    await page.locator('#plot').click({ position: { x: 300, y: 40 } });
    assert.equal(await page.evaluate(() => window.coluber.time), 0, 'a click into the plot');
    for (const cam of ['top', 'side', 'follow', 'orbit']) {
      await page.click(`[data-camera=${cam}]`);
      assert.ok((await look(page)).colours > 10, cam);
    }
    assert.ok(Number.isFinite((await page.evaluate(() => window.coluber.camera().pixelsPerMetre))));
  });
});

test('a second run of one moment, or one that goes on, is compared with it', async () => {
  await with_page([make_mapped({ frames: 1 }), make_mapped({ frames: 1 })], '', async (page) => {
    await ready(page);
    assert.equal(await page.evaluate(() => window.coluber.plot().length), 10);
  });
  await with_page([make_mapped({ frames: 1 }), make_mapped({ frames: 5 })], '', async (page) => {
    await ready(page);
    for (const id of transport) assert.equal(await page.locator(`#${id}`).isDisabled(), false, id);
    await page.keyboard.press('End');
    assert.equal(await page.evaluate(() => window.coluber.time), 4);
  });
});

test('values that are missing leave gaps in the plot, and none in the others', async () => {
  await with_page([make_mapped({ frames: 9 })], '#plot=margin', async (page) => {
    await ready(page);
    const values = await page.evaluate(() => [...window.coluber.plot()[0].values].map((x) => (Number.isNaN(x) ? null : x)));
    assert.deepEqual(values, [0, 1, 2, 3, 4, 5, 6, 7, 8].map(mapped.margin).map((x) => (Number.isNaN(x) ? null : x)));
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    assert.equal(await page.textContent('#readout'), '– N');
  });
});

test('the page of force-map: a frozen moment with its forces and torques', options, async () => {
  await with_page([await study('force-map', 'holden_table5')], '#cam=top', async (page) => {
    await ready(page);
    const { families } = await scene(page);
    assert.deepEqual(families.map((f) => [f.name, f.arrows.length]), [['mapped_force', 5], ['mapped_constraint', 5]]);
    // friction 0.3 turns a force by its angle and makes it longer
    families[0].arrows.forEach((arrow, i) => {
      const [total, part] = [vector(arrow), vector(families[1].arrows[i])];
      near(arrow.base, families[1].arrows[i].base, 1e-6, 'one point');
      assert.ok(Math.abs(Math.hypot(...total) / Math.hypot(...part) - Math.hypot(1, 0.3)) < 1e-3, `${total} and ${part}`);
    });
    assert.match(await page.textContent('#force_scale'), /^mapped forces \d+ N$/);
    assert.match(await page.textContent('#force_scale_2'), /^mapped constraint \d+ N$/);
    const torques = await page.evaluate(() => window.coluber.plot().map((s) => s.values[0]));
    assert.equal(torques.length, 19);
    assert.ok(Math.abs(torques[5] - 4.5) < 1e-4, 'joint 6 is at its limit');
    assert.match(await page.textContent('#figures'), /effort129\.5/);
    // nothing is cut off beside the panel
    assert.equal(await page.evaluate(() => document.getElementById('panel').scrollWidth <= document.getElementById('panel').clientWidth), true);
  });
});

test('the page of quality plays the places of the path, and plots margin and torque', options, async () => {
  await with_page([await study('quality', 'holden_pegs')], '#plot=margin', async (page) => {
    await ready(page);
    const [tube] = (await scene(page)).tubes;
    assert.ok(tube.visible && tube.name === 'path');
    const offered = await choices(page, 'channel');
    for (const name of ['mapped_torque', 'place', 'contact_count', 'rank', 'feasible', 'margin', 'torque_max', 'mapped_force']) assert.ok(offered.includes(name), `${name} of ${offered}`);
    const margins = await page.evaluate(() => [...window.coluber.plot()[0].values]);
    assert.equal(margins.length, 24);
    assert.ok(Math.abs(Math.min(...margins) - 17.53) < 0.01, `${Math.min(...margins)} N`);
    await page.selectOption('#channel', 'torque_max');
    assert.equal(await page.evaluate(() => window.coluber.plot()[0].values.every((x) => x > 0 && x < 4.5)), true);
    const before = await page.evaluate(() => window.coluber.poseOf('link_20'));
    await page.selectOption('#speed', '2');
    await page.keyboard.press(' ');
    await until(page, () => !window.coluber.playing && window.coluber.time > 7);
    const after = await page.evaluate(() => window.coluber.poseOf('link_20'));
    assert.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) > 0.5, `from ${before} to ${after}`);
    assert.equal((await kept(page)).plot, 'torque_max');
  });
});
