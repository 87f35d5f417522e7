import assert from 'node:assert/strict';
import { test } from 'node:test';

import { around } from '../../src/range.ts';

test('the vertical axis holds the values with some room', () => {
  const [low, high] = around(-2, 3);
  assert.ok(low < -2 && low > -3 && high > 3 && high < 4);
});

test('a constant lies inside its axis, zero and rounding errors of it around zero', () => {
  const [low, high] = around(5, 5);
  assert.ok(low < 5 && high > 5);
  assert.deepEqual(around(0, 0), [-1, 1]);
  assert.deepEqual(around(-1e-30, 1e-29), [-1, 1]);
});

test('no values at all still give an axis', () => {
  assert.deepEqual(around(null, null), [-1, 1]);
  assert.deepEqual(around(NaN, Infinity), [-1, 1]);
});
