import assert from 'node:assert/strict';
import { test } from 'node:test';

import { read_address, write_address, type Choices, type State } from '../../src/address.ts';

const choices: Choices = { plots: ['torque', 'angle'], families: ['ground', 'obstacle'], vectors: ['push'], colours: ['torque'], bodies: ['link_1', 'link_2'], speeds: [0.1, 1, 5], members: (plot) => new Set([`${plot}-1`]) };
const defaults: State = {
  t: -1, camera: 'orbit', view: null, plot: 'torque', members: new Set(), trails: new Set(['link_1']), arrows: new Set(['ground', 'obstacle']), force_size: 0, sizes: new Map(),
  vectors: 'push', colour: 'torque', speed: 1, loop: false, theme: '', ghost: true, shadows: true, panel: true,
};
const read = (hash: string) => read_address(hash, defaults, choices);

test('an empty address gives what is usual', () => {
  assert.deepEqual(read(''), { ...defaults, members: new Set(['torque-1']) });
});

test('every setting written into an address is read back', () => {
  const state: State = {
    t: 2.25, camera: 'side', view: [1, 2, 3, 4, 5, 6, 1.5], plot: 'angle', members: new Set(['2', '3']), trails: new Set(['link_2', 'link_1']), arrows: new Set(['obstacle']), force_size: -0.5, sizes: new Map([['ground', 0.25], ['obstacle', -1]]),
    vectors: '', colour: '', speed: 5, loop: true, theme: 'dark', ghost: false, shadows: false, panel: false,
  };
  assert.deepEqual(read(write_address(state, defaults, choices, 2)), state);
  const none: State = { ...state, members: new Set(), trails: new Set(), view: null, arrows: new Set() };
  assert.deepEqual(read(write_address(none, defaults, choices, 2)), none);
});

test('zero is a time, of a key given twice the first counts, and nonsense gives way', () => {
  assert.equal(read('#t=0').t, 0);
  assert.equal(read('#t=3&t=1').t, 3);
  for (const hash of ['#t=soon', '#t=', '#t=Infinity', '#cam=inside', '#plot=x', '#trails', '#view=1,2', '#view=1,2,3,4,5,6,0', '#view=1,2,3,4,5,6,x', '#speed=-2', '#speed=0', '#loop=yes', '#theme=pink', '#vectors=x', '#colour=x', '#forces=', '#forces=wind', '#arrow=x', '#sizes=ground', '#sizes=wind:1', '#sizes=ground:x,:2,obstacle:0']) {
    const { trails, ...rest } = read(hash);
    const { trails: usual, ...expected } = { ...defaults, members: new Set(['torque-1']) };
    assert.deepEqual(rest, expected, hash);
    assert.deepEqual(trails, hash === '#trails' ? new Set() : usual, hash);
  }
  assert.equal(read('#speed=4').speed, 5);
  assert.equal(read('#arrow=9').force_size, 1);
  assert.deepEqual(read('#trails=link_2,ghost').trails, new Set(['link_2']));
});

test('the address of an older run switches all arrows, and a family by its name', () => {
  assert.deepEqual(read('#forces=0').arrows, new Set());
  assert.deepEqual(read('#forces=1').arrows, new Set(['ground', 'obstacle']));
  assert.deepEqual(read('#forces=ground,wind').arrows, new Set(['ground']));
  assert.match(write_address(defaults, defaults, choices, 2), /&forces=1&/);
  assert.match(write_address({ ...defaults, arrows: new Set() }, defaults, choices, 2), /&forces=0&/);
  assert.match(write_address({ ...defaults, arrows: new Set(['ground']), sizes: new Map([['ground', 0.5]]) }, defaults, choices, 2), /&forces=ground&.*&sizes=ground:0.5/);
  assert.deepEqual(read('#sizes=ground:7').sizes, new Map([['ground', 1]]));
});
