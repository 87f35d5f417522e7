// The address keeps the view, and keys do what the help says.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ready, until } from '../page.mjs';
import { make_synthetic, make_wheeled } from '../synthetic.mjs';
import { camera, kept, near, packed, settings, with_page } from './support.mjs';

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
    assert.deepEqual(series.split(','), ['1', '3', '4']);
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

test('every key of the help does what it says', async () => {
  const second = JSON.parse(packed);
  const time = (page) => page.evaluate(() => window.coluber.time);
  const pressed = async (page, key) => {
    await page.keyboard.press(key);
    return settings(page);
  };
  const checks = {
    space: async (page) => {
      for (let i = 0; i < 3; ++i) await page.keyboard.press('-'); // slowly, or it may be over before it is looked at
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
    const first = page.waitForEvent('download');
    for (const key of ['l', 'c', '.']) {
      await page.keyboard.down(key);
      await page.keyboard.down(key);
      await page.keyboard.down(key);
      await page.keyboard.up(key);
    }
    assert.equal(await page.getAttribute('#loop', 'aria-pressed'), 'true');
    assert.equal(await page.evaluate(() => window.coluber.frame), 13);
    await first;
    const second = page.waitForEvent('download'); // pictures come in order: one more would be before it
    await page.keyboard.press('c');
    await second;
    assert.equal(pictures, 2);
  });
});
