// What current files say beyond older ones: families, groups, parents, curves and numbers along them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { make_colourings, make_groups, make_profiles } from '../../src/replay/channels.ts';
import { family_of, make_replay, ReplayError, type Replay } from '../../src/replay/format.ts';
import { find_joints, find_links } from '../../src/replay/structure.ts';
import { half_lengths, reach_of } from '../../src/scene/shapes.ts';

interface Column {
  [key: string]: unknown;
  name: string;
  kind: string;
  of: (k: number) => number[];
}

/** A replay of these bodies and fields, three frames unless told. */
function make(bodies: Record<string, unknown>[], columns: Column[], more: object = {}, frames = 3): Replay {
  let width = 0;
  const fields = columns.map(({ of, ...field }) => {
    const count = of(0).length;
    width += count;
    return { unit: '', body: null, ...field, offset: width - count, count };
  });
  const values = Float32Array.from(Array.from({ length: frames }, (_, k) => columns.flatMap((c) => c.of(k))).flat());
  return make_replay({ format: 'coluber-replay', version: 1, frames, rate_hz: 1, floats_per_frame: width, bodies, fields, ...more }, values);
}

const refuses = (act: () => unknown, words: RegExp) => assert.throws(act, (e) => e instanceof ReplayError && words.test(e.message));
const time: Column = { name: 'time', kind: 'scalar', of: (k) => [k] };
const link = (i: number, more: object = {}) => ({ name: `link_${i}`, shape: 'capsule', size: [0.1, 0.2], ...more });
const pose = (name: string, of: Column['of']): Column => ({ name: `${name}.pose`, kind: 'pose', body: name, of });
const still = (name: string, x = 0) => pose(name, () => [x, 0, 0, 1, 0, 0, 0]);
const contact = (name: string, body: string, family?: string): Column => ({ name, kind: 'contact', body, unit: 'N', ...(family === undefined ? {} : { family }), of: () => [0, 0, 0, 3, 0, 4] });

test('families are those of the file, and a colour that is none gives way', () => {
  const families = [{ name: 'ground', label: 'ground forces', colour: '#009e73', unit: 'N' }, { name: 'wish', colour: 'url(x)' }];
  const replay = make([link(1)], [time, still('link_1'), contact('link_1.ground', 'link_1', 'ground'), contact('link_1.wish', 'link_1', 'wish')], { families });
  assert.deepEqual(replay.families, [{ name: 'ground', label: 'ground forces', colour: '#009e73', unit: 'N' }, { name: 'wish', label: 'wish', colour: null, unit: 'N' }]);
  assert.deepEqual(replay.fields.filter((f) => f.kind === 'contact').map(family_of), ['ground', 'wish']);
});

test('contacts of a file without families are one family; a family the file does not describe is made', () => {
  const columns = [time, still('link_1'), contact('link_1.contact', 'link_1')];
  assert.deepEqual(make([link(1)], columns).families, [{ name: 'contact', label: 'contact force', colour: null, unit: 'N' }]);
  assert.equal(family_of(make([link(1)], columns).fields[2]!), 'contact');
  assert.deepEqual(make([link(1)], [...columns, contact('link_1.odd_one', 'link_1', 'odd_one')], { families: [] }).families.map((f) => [f.name, f.label]), [['odd_one', 'odd one'], ['contact', 'contact force']]);
  assert.deepEqual(make([link(1)], [time, still('link_1')], { families: [] }).families, [], 'a file that says there are none has none');
});

test('lists that are no lists, entries without names and points that are no points are refused in words', () => {
  refuses(() => make([link(1)], [time], { families: {} }), /"families" should be a list/);
  refuses(() => make([link(1)], [time], { groups: [{ label: 'x' }] }), /entry 1 of "groups"/);
  for (const points of [7, [1, 2, 3], [[1, 2]], [[1, 2, null]], [[1, 2, '3']]]) refuses(() => make([{ name: 'path', shape: 'tube', size: [0.1], points }], [time]), /points of body "path"/);
});

test('points of a body that stands are read as they are', () => {
  const [body] = make([{ name: 'path', shape: 'tube', size: [0.1], points: [[1, 2, 3], [4, 5, 6]] }], [time]).bodies;
  assert.deepEqual([...body!.points!], [1, 2, 3, 4, 5, 6]);
  assert.equal(make([link(1)], [time]).bodies[0]!.points, null);
});

const joint = (name: string, j: number, component: string | null, of: Column['of']): Column => ({ name: [name, j, component].filter(Boolean).join('.'), label: `${name} ${j} ${component ?? ''}`.trim(), kind: 'scalar', group: name, index: j, ...(component ? { component } : {}), of });
const torque_group = { name: 'torque', label: 'joint torque', unit: 'N m', role: 'torque' };

test('a group of the file with components becomes one per component, a torque its size before them', () => {
  const columns = [1, 2].flatMap((j) => ['yaw', 'pitch'].map((c, i) => joint('torque', j, c, () => [i === 0 ? 3 * j : 4 * j])));
  const groups = make_groups(make([], [time, ...columns], { groups: [torque_group] }));
  assert.deepEqual(groups.map((g) => [g.name, g.label, g.unit, g.role, g.channels.map((c) => c.key).join()]), [
    ['torque', 'joint torque', 'N m', 'torque', '1,2'],
    ['torque.yaw', 'joint torque yaw', 'N m', 'torque', '1,2'],
    ['torque.pitch', 'joint torque pitch', 'N m', 'torque', '1,2'],
  ]);
  assert.deepEqual(groups.map((g) => g.channels.map((c) => c.read(1))), [[5, 10], [3, 6], [4, 8]]);
  const angles = make_groups(make([], [time, ...columns], { groups: [{ ...torque_group, role: 'angle' }] }));
  assert.deepEqual(angles.map((g) => g.name), ['torque.yaw', 'torque.pitch'], 'angles have no size');
});

test('groups are offered in the order of the file, with its words; numbers, components and plain scalars', () => {
  const groups = [{ name: 'speed', label: 'speed of all', unit: 'm/s' }, torque_group, { name: 'centre', label: 'centre', unit: 'm' }, { name: 'empty', label: 'empty', unit: '' }];
  const columns = [joint('torque', 1, null, () => [1]), joint('torque', 2, null, () => [2]), ...['x', 'y'].map((c) => joint('centre', 1, c, () => [7])), { name: 'speed', kind: 'scalar', group: 'speed', of: () => [9] }, { name: 'loose.1', label: 'loose 1', kind: 'scalar', of: () => [5] }];
  assert.deepEqual(make_groups(make([], [time, ...columns], { groups })).map((g) => [g.name, g.label, g.channels.map((c) => c.key).join()]), [
    ['speed', 'speed of all', ''], ['torque', 'joint torque', '1,2'], ['centre', 'centre', 'x,y'], ['loose', 'loose', '1'],
  ]);
});

test('each family has its own group of forces', () => {
  const families = ['ground', 'obstacle'].map((name) => ({ name, label: `${name} forces`, colour: '#112233', unit: 'N' }));
  const columns = [1, 2].flatMap((i) => [contact(`link_${i}.ground`, `link_${i}`, 'ground'), contact(`link_${i}.contact`, `link_${i}`, 'obstacle')]);
  const groups = make_groups(make([link(1), link(2)], [time, ...columns], { families }));
  assert.deepEqual(groups.map((g) => [g.name, g.label, g.channels.map((c) => [c.key, c.read(0)])]), [
    ['ground_force', 'ground forces', [['1', 5], ['2', 5]]],
    ['contact_force', 'obstacle forces', [['1', 5], ['2', 5]]],
  ]);
});

test('what is one per link or joint may colour them, numbers along curves may colour those; the radius does not', () => {
  const bodies = [link(1), link(2), { name: 'rod', shape: 'tube', size: [0.1] }];
  const columns = [time, still('link_1'), still('link_2', 1), joint('torque', 1, null, () => [1]), { name: 'energy', kind: 'scalar', of: () => [1] },
    ...['radius', 'bend', 'torque'].map((name) => ({ name: `rod.${name}`, label: name, kind: 'profile', body: 'rod', unit: '1/m', of: () => [1, 2, 3] }))];
  const replay = make(bodies, columns, { groups: [torque_group] });
  const profiles = make_profiles(replay);
  assert.deepEqual(profiles.map((p) => [p.name, p.unit, p.fields.length]), [['bend', '1/m', 1], ['torque', '1/m', 1]]);
  assert.deepEqual(make_colourings(make_groups(replay), profiles, find_links(replay)).map((c) => [c.name, c.on]), [['torque', 'joints'], ['bend', 'curves'], ['along.torque', 'curves']]);
});

test('a file may say where joints are and which coordinates they have', () => {
  // link 2 slides along link 1 and turns about it (coordinates 1 and 2), link 3 is fixed to link 2, link 4 has coordinate 3
  const box = (i: number, more: object) => ({ name: `link_${i}`, shape: 'box', size: [0.3, 0.1, 0.1], ...more });
  const bodies = [box(1, {}), box(2, { parent: 'link_1', joint: [-0.15, 0, 0], coordinates: [1, 2] }), box(3, { parent: 'link_2', joint: [0, 0, 0.1] }), box(4, { parent: 'link_1', joint: [0, 0.05, 0], coordinates: [3] })];
  const columns = [time, still('link_1'), pose('link_2', (k) => [0.3 + 0.1 * k, 0, 0, 1, 0, 0, 0]), pose('link_3', (k) => [0.3 + 0.1 * k, 0, 0.2, 1, 0, 0, 0]), still('link_4', 0.1),
    ...[1, 2, 3].map((j) => joint('torque', j, null, () => [j]))];
  const replay = make(bodies, columns, { groups: [torque_group] });
  const joints = find_joints(replay);
  assert.deepEqual(joints.map((j) => j && [j.first.body, j.second.body, j.by_child, j.at_second, j.coordinates]), [
    ['link_1', 'link_2', true, [-0.15, 0, 0], [1, 2]], null, ['link_1', 'link_4', true, [0, 0.05, 0], [3]],
  ]);
  assert.deepEqual(make_colourings(make_groups(replay), [], find_links(replay)).filter((c) => c.on === 'joints').map((c) => c.name), ['torque']);
  refuses(() => make([box(1, { joint: [1, 2] })], [time]), /the joint of body "link_1"/);
  // as many coordinates as links: still of joints
  const more = make(bodies.map((b, i) => (i === 2 ? { ...b, coordinates: [4] } : b)), [...columns, joint('torque', 4, null, () => [4])], { groups: [torque_group] });
  assert.deepEqual(make_colourings(make_groups(more), [], find_links(more)).filter((c) => c.on === 'joints').map((c) => c.name), ['torque']);
});

const about_z = (angle: number) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

test('joints go by parents, and are found beside the axes', () => {
  // link 3 turns about the point (0.5, 0.3) of link 1, and reaches 0.2 from there
  const arm = (k: number) => [0.5 + 0.2 * Math.cos(0.3 * k), 0.3 + 0.2 * Math.sin(0.3 * k), 0.1, ...about_z(0.3 * k)];
  const columns = [time, still('link_1'), pose('link_2', () => [1, 0, 0, 1, 0, 0, 0]), pose('link_3', arm)];
  const joints = find_joints(make([link(1), link(2), link(3, { parent: 'link_1' })], columns, {}, 12));
  assert.equal(joints.length, 2);
  assert.equal(joints[0]!.first.body, 'link_1');
  const [, third] = joints;
  assert.equal(third!.first.body, 'link_1');
  [0.5, 0.3, 0.05].forEach((x, a) => assert.ok(Math.abs(third!.at_first[a]! - x) < 1e-5, `${third!.at_first}`)); // the height is shared
  [-0.2, 0, -0.05].forEach((x, a) => assert.ok(Math.abs(third!.at_second[a]! - x) < 1e-5, `${third!.at_second}`));
  assert.equal(find_joints(make([link(1), link(2), link(3)], columns, {}, 12))[1], null, 'without a parent it is the link before, which it does not meet');
  assert.equal(find_joints(make([link(1), link(2), link(3, { parent: 'nobody' })], columns, {}, 12))[1], null);
});

test('bodies that slide along each other have no joint to draw', () => {
  const columns = [time, still('link_1'), pose('link_2', (k) => [1 + k, 0.5 * k * k, 0, 1, 0, 0, 0])];
  assert.deepEqual(find_joints(make([link(1), link(2, { parent: 'link_1' })], columns, {}, 8)), [null]);
});

test('a body that turns about its parent’s middle is joined there', () => {
  const columns = [time, still('link_1', 2), pose('link_2', (k) => [2, 0, 0, ...about_z(k)])];
  const [found] = find_joints(make([link(1), link(2, { parent: 'link_1' })], columns, {}, 8));
  assert.ok(Math.hypot(...found!.at_first, ...found!.at_second) < 1e-5);
});

test('how far bodies reach goes by their shapes and how they are turned', () => {
  assert.deepEqual(half_lengths('capsule', [0.1, 0.5], 1), [0.6, 0.1, 0.1]);
  assert.deepEqual(half_lengths('wheel', [0.3, 0.1], 1), [0.3, 0.05, 0.3]);
  assert.deepEqual(half_lengths('cylinder', [0.1, 2], 1), [0.1, 0.1, 1]);
  assert.deepEqual(half_lengths('circle', [0.1], 0.5), [0.1, 0.1, 0.25]);
  assert.deepEqual(half_lengths('box', [2, 4, 6], 1), [1, 2, 3]);
  const quarter = reach_of('box', [0.6, 0.1, 0.2], [0, 0, 0, ...about_z(Math.PI / 2)], 0);
  [0.1, 0.6, 0.2].forEach((x, a) => assert.ok(Math.abs(quarter[a]! - x) < 1e-12));
});

test('a round body reaches as far however it is turned about its axis', () => {
  const close = (found: number[], expected: number[], what: string) => found.forEach((x, a) => assert.ok(Math.abs(x - expected[a]!) < 1e-12, `${what}: ${found} for ${expected}`));
  const reach = (shape: string, size: number[], turn: number[]) => reach_of(shape, half_lengths(shape, size, 1), [0, 0, 0, ...turn], 0);
  const about = (axis: number, angle: number) => [Math.cos(angle / 2), ...[0, 1, 2].map((a) => (a === axis ? Math.sin(angle / 2) : 0))];
  for (const angle of [0, 0.3, Math.PI / 4, 2, 10]) {
    close(reach('wheel', [0.065, 0.016], about(1, angle)), [0.065, 0.008, 0.065], `wheel at ${angle}`);
    close(reach('cylinder', [0.1, 0.6], about(2, angle)), [0.1, 0.1, 0.3], `cylinder at ${angle}`);
    close(reach('capsule', [0.1, 0.5], about(0, angle)), [0.6, 0.1, 0.1], `capsule at ${angle}`);
    close(reach('tube', [0.1, 0.6], about(0, angle)), [0.3, 0.1, 0.1], `tube at ${angle}`);
    close(reach('sphere', [0.1], about(0, angle)), [0.1, 0.1, 0.1], `sphere at ${angle}`);
  }
  const lean = Math.SQRT1_2;
  close(reach('capsule', [0.1, 0.5], about(2, Math.PI / 4)), [0.5 * lean + 0.1, 0.5 * lean + 0.1, 0.1], 'a capsule between the axes');
  close(reach('wheel', [0.3, 0.1], about(2, Math.PI / 4)), [(0.3 + 0.05) * lean, (0.3 + 0.05) * lean, 0.3], 'a wheel between the axes');
});

test('positions are plotted by link; of other bodies only where there are no links', () => {
  const moves = (name: string) => pose(name, (k) => [k, 0, 0, 1, 0, 0, 0]);
  const wheel = (name: string) => ({ name, shape: 'wheel', size: [0.1, 0.02], parent: 'link_1' });
  const keys = (bodies: Record<string, unknown>[], ...names: string[]) => make_groups(make(bodies, [time, ...names.map(moves)])).map((g) => [g.name, g.channels.map((c) => c.key).join()]);
  assert.deepEqual(keys([link(1), link(2), wheel('wheel_1_left')], 'link_1', 'link_2', 'wheel_1_left'), [['position_x', '1,2']]);
  assert.deepEqual(keys([wheel('front'), wheel('rear')], 'front', 'rear'), [['position_x', 'front,rear']]);
});

test('an older file, which lists no groups, is grouped by names and numbers as it was', () => {
  const columns = ['joint_torque.1', 'joint_torque.2', 'joint_angle.1.yaw', 'energy'].map((name) => ({ name, label: name.replace(/[._]/g, ' '), kind: 'scalar', of: () => [1] }));
  const groups = make_groups(make([], [time, ...columns]));
  assert.deepEqual(groups.map((g) => [g.name, g.role, g.channels.map((c) => c.key).join()]), [['joint_torque', 'torque', '1,2'], ['joint_angle.1.yaw', '', ''], ['energy', '', '']]);
});
