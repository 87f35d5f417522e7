import assert from 'node:assert/strict';
import { test } from 'node:test';

import { figure, flatten, format_number } from '../../src/words.ts';

test('numbers keep their value in few digits', () => {
  assert.equal(format_number(0), '0');
  assert.equal(format_number(15000), '15000');
  assert.equal(format_number(-2.42760186), '−2.428');
  assert.equal(format_number(9.9935e-11), '9.99·10⁻¹¹');
  assert.equal(format_number(Infinity), '∞');
  assert.equal(format_number(NaN), '–');
});

test('figures are given in units people use', () => {
  assert.deepEqual(figure('heading_change', Math.PI / 2, 'rad'), { name: 'heading change', value: '90', unit: '°' });
  assert.deepEqual(figure('max_penetration', 9.357e-6, undefined), { name: 'deepest overlap', value: '9.357', unit: 'µm' });
  assert.deepEqual(figure('path_length', 2.476, undefined), { name: 'way travelled', value: '2.476', unit: 'm' });
  assert.deepEqual(figure('work_positive', 50.72, 'J'), { name: 'work put in', value: '50.72', unit: 'J' });
  assert.deepEqual(figure('path_error', 0.1504, 'm s'), { name: 'path error, all links', value: '0.1504', unit: 'm s' });
  assert.deepEqual(figure('new_measure', 3, undefined), { name: 'new measure', value: '3', unit: '' });
});

test('parameters are dotted keys without the empty ones', () => {
  const flat = flatten({ title: 'x', a: { b: 1, c: null }, list: [{ x: 1 }, { x: 2 }], v: [1, 2] });
  assert.deepEqual([...flat], [['a.b', 1], ['list', '2 of them'], ['v', [1, 2]]]);
});
