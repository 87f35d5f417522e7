// Bodies of every shape, curves, vectors, and what is left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ready } from '../page.mjs';
import { make_synthetic, make_wheeled, shapes } from '../synthetic.mjs';
import { look, near, scene, with_page } from './support.mjs';

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
