// The first camera shows the whole robot, whatever its length, on every screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ready } from '../page.mjs';
import { make_rod, make_spatial, turn } from '../synthetic.mjs';
import { with_page } from './support.mjs';

// Corners of the boxes around the capsules of a run in a frame.
function corners_of(run, frame) {
  const { replay, data } = run;
  const bytes = Buffer.from(data.bytes, 'base64');
  return replay.fields.filter((f) => f.kind === 'pose').flatMap((f) => {
    const pose = Array.from({ length: 7 }, (_, i) => bytes.readFloatLE(4 * (frame * replay.floats_per_frame + f.offset + i)));
    const [radius, half] = replay.bodies.find((b) => b.name === f.body).size;
    return Array.from({ length: 8 }, (_, c) => [(c & 1 ? 1 : -1) * (half + radius), (c & 2 ? 1 : -1) * radius, (c & 4 ? 1 : -1) * radius])
      .map((p) => turn(pose.slice(3), p).map((x, a) => x + pose[a]));
  });
}

// Where points of the world are in the picture, and its size.
const picture_of = (page, points) => page.evaluate((all) => {
  const { clientWidth: width, clientHeight: height } = document.getElementById('scene');
  return { width, height, seen: all.map((p) => window.coluber.project(...p)) };
}, points);

// All points are in the picture, and take up a good part of it.
function assert_inside({ width, height, seen }, what) {
  for (const [x, y, depth] of seen) assert.ok(x >= 0 && x <= width && y >= 0 && y <= height && Math.abs(depth) < 1, `${what}: ${x}, ${y} at ${depth} in ${width} × ${height}`);
  const range = (axis) => Math.max(...seen.map((p) => p[axis])) - Math.min(...seen.map((p) => p[axis]));
  assert.ok(Math.max(range(0) / width, range(1) / height) > 0.25, `${what}: ${range(0)} × ${range(1)} of ${width} × ${height}`);
}

const screens = [[1280, 800], [390, 844], [844, 390]];
for (const links of [2, 200]) {
  for (const [name, options] of [['straight and still', { bent: 0, step: 0 }], ['bent', { bent: links > 100 ? 0.1 : 1 }], ['far from where it began', { bent: links > 100 ? 0.05 : 1, step: 0.5, start: -40 }]]) {
    test(`${links} links, ${name}: the first camera shows them all, at once and when a link leads to a moment`, async () => {
      const run = make_spatial({ links, ...options });
      await with_page([run], '', async (page) => {
        for (const [width, height] of screens) {
          await page.setViewportSize({ width, height });
          for (const [hash, frame] of [['', 0], ['#t=0.5', 10]]) {
            const address = page.url().replace(/#.*/, '');
            await page.goto('about:blank');
            await page.goto(address + hash);
            await ready(page);
            assert_inside(await picture_of(page, corners_of(run, frame)), `${width} × ${height} ${hash}`);
          }
        }
      });
    });
  }
}

test('a camera that nobody moved shows the whole robot also after the window or the panel changed', async () => {
  const run = make_spatial({ links: 8 });
  await with_page([run], '#cam=orbit', async (page) => {
    await ready(page);
    const corners = corners_of(run, 0);
    for (const [width, height] of [[1280, 800], [500, 900], [1400, 500]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(100);
      await page.evaluate(() => window.coluber.drawn());
      assert_inside(await picture_of(page, corners), `${width} × ${height}`);
    }
    await page.click('#panel_toggle');
    await page.waitForTimeout(100);
    await page.evaluate(() => window.coluber.drawn());
    assert_inside(await picture_of(page, corners), 'panel');
    assert.equal(await page.evaluate(() => window.coluber.view()), null, 'and the address has no view');
  });
});

test('a run that is one rod is shown whole', async () => {
  const run = make_rod({ height: 0.3 });
  await with_page([run], '', async (page) => {
    for (const [width, height] of screens) {
      await page.setViewportSize({ width, height });
      await page.reload();
      await ready(page);
      const { points } = await page.evaluate(() => window.coluber.drawnScene()[0].tubes.find((t) => t.name === 'rod'));
      assert_inside(await picture_of(page, points), `${width} × ${height}`);
    }
  });
});
