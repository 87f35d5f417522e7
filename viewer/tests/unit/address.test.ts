import assert from 'node:assert/strict';
import { test } from 'node:test';

import { find_fault, read_address, write_address, type Choices, type State } from '../../src/address.ts';

const choices: Choices = { plots: ['torque', 'angle'], families: ['ground', 'obstacle'], vectors: ['push'], colours: ['torque'], bodies: ['link_1', 'link_2'], speeds: [0.1, 1, 5], channels: (plot) => [`${plot}-1`, '2', '3'], members: (plot) => new Set([`${plot}-1`]) };
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

test('each value that an address names in vain is a fault with what there is', () => {
  const fault = (hash: string) => find_fault(hash, defaults, choices);
  for (const [hash, said, known] of [
    ['plot=x', 'plot: there is no "x"', 'torque, angle'],
    ['plot=', 'plot: there is no ""', 'torque, angle'],
    ['plot=angle&series=2,torque-1', 'series: there is no "torque-1"', 'angle has angle-1, 2, 3'],
    ['trails=link_2,ghost', 'trails: there is no "ghost"', 'link_1, link_2'],
    ['forces=ground,wind', 'forces: there is no "wind"', '0 for none, 1 for all, or of ground, obstacle'],
    ['forces=', 'forces: there is no ""', '0 for none, 1 for all, or of ground, obstacle'],
    ['forces=2', 'forces: there is no "2"', '0 for none, 1 for all, or of ground, obstacle'],
    ['sizes=ground', 'sizes: there is no "ground"', 'sizes=NAME:X, NAME of ground, obstacle'],
    ['sizes=wind:1', 'sizes: there is no "wind"', 'sizes=NAME:X, NAME of ground, obstacle'],
    ['sizes=ground:x', 'sizes: "ground:x" is no size', 'a number from -1 to 1: arrows 10 to its power times as long'],
    ['sizes=obstacle:1,ground:7', 'sizes: "ground:7" is no size', 'a number from -1 to 1: arrows 10 to its power times as long'],
    ['sizes=ground:', 'sizes: "ground:" is no size', 'a number from -1 to 1: arrows 10 to its power times as long'],
    ['vectors=x', 'vectors: there is no "x"', 'push'],
    ['colour=angle', 'colour: there is no "angle"', 'torque'],
    ['speed=4', 'speed: there is no "4"', '0.1, 1, 5'],
    ['speed=fast', 'speed: there is no "fast"', '0.1, 1, 5'],
  ] as const) {
    assert.deepEqual(fault(`#cam=top&${hash}`), { said, known }, hash);
  }
  assert.equal(find_fault('#colour=x', defaults, { ...choices, colours: [] })?.known, 'this run has none');
  const many = Array.from({ length: 40 }, (_, i) => `link_${i + 1}`);
  assert.match(find_fault('#trails=x', defaults, { ...choices, bodies: many })!.known, /link_20, … \(40 in all\)$/);
});

test('no address that the page writes has a fault', () => {
  const state: State = {
    ...defaults, t: 2.25, view: [1, 2, 3, 4, 5, 6, 1.5], plot: 'angle', members: new Set(['2', '3']), trails: new Set(['link_2', 'link_1']), arrows: new Set(['obstacle']), force_size: -0.5, sizes: new Map([['ground', 0.25], ['obstacle', -1]]),
    vectors: '', colour: '', speed: 0.1, theme: 'dark', ghost: false,
  };
  const empty: Choices = { ...choices, plots: [], families: [], vectors: [], colours: [], bodies: [], channels: () => [] };
  const bare: State = { ...defaults, plot: '', members: new Set(), trails: new Set(), arrows: new Set(), vectors: '', colour: '' };
  for (const each of [state, defaults, { ...state, members: new Set<string>(), trails: new Set<string>(), arrows: new Set<string>() }]) {
    assert.equal(find_fault(write_address(each, defaults, choices, 2), defaults, choices), null);
  }
  assert.equal(find_fault(write_address(bare, bare, empty, 2), bare, empty), null);
  assert.equal(find_fault('#speed=1e0&still=1', defaults, choices), null);
});
