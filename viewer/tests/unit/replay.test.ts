import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { createInflateRaw } from 'node:zlib';

import { make_groups, make_vectors } from '../../src/replay/channels.ts';
import { frame_at, make_replay, read_float32, ReplayError, type Replay } from '../../src/replay/format.ts';
import { read_embedded, unpack_bits, unpack_planes } from '../../src/replay/pack.ts';
import { find_links, fit_joint } from '../../src/replay/structure.ts';

// Node 18 lacks 'deflate-raw'; browsers have had it since 2022.
try {
  new DecompressionStream('deflate-raw');
} catch {
  const to_web = (Duplex as unknown as { toWeb(d: Duplex): DecompressionStream }).toWeb;
  const stand_in = function () {
    return to_web(createInflateRaw());
  };
  globalThis.DecompressionStream = stand_in as unknown as typeof DecompressionStream;
}

// Written by `coluber run` and `coluber export` (fixtures/README.md).
const fixtures = process.env.FIXTURES!;
const text = (name: string) => readFileSync(join(fixtures, name), 'utf8');
const header = () => JSON.parse(text('replay.json')) as Record<string, unknown> & { bodies: Record<string, unknown>[]; fields: Record<string, unknown>[]; frames: number };
const packed = () => JSON.parse(text('packed.json')) as { replay: unknown; run: unknown; data: { encoding: string; columns: { min: number; step: number }[]; bytes: string; time: string } };
const bytes = (): ArrayBuffer => Uint8Array.from(readFileSync(join(fixtures, 'replay.bin'))).buffer;
const raw = (): Replay => make_replay(header(), read_float32(bytes()));
const refuses = (act: () => unknown, words: RegExp) => assert.throws(act, (e) => e instanceof ReplayError && words.test(e.message));

test('a raw replay of the program is read value by value', () => {
  const replay = raw();
  const view = new DataView(bytes());
  assert.equal(replay.values.length, replay.frames * replay.width);
  replay.values.forEach((v, i) => assert.ok(Object.is(v, view.getFloat32(4 * i, true))));
  assert.equal(replay.bodies.filter((b) => b.name.startsWith('link_')).length, 3);
  assert.equal(replay.packing.encoding, 'float32');
});

test('time is the recorded time and never runs backwards', () => {
  const { time, frames, rate } = raw();
  assert.equal(time.length, frames);
  time.forEach((t, k) => assert.ok(Math.abs(t - k / rate) < 0.5 / rate));
});

test('a packed replay of the program equals the raw one within half a step of each column', async () => {
  const { replay: head, data } = packed();
  assert.equal(data.encoding, 'delta16-deflate');
  const back = await read_embedded(head, data);
  const replay = raw();
  assert.equal(back.frames, replay.frames);
  let open = 0;
  replay.values.forEach((v, i) => {
    const column = data.columns[i % replay.width]!;
    const w = back.values[i]!;
    if (Number.isNaN(v)) {
      ++open;
      assert.ok(Number.isNaN(w));
    } else {
      // half a step, and float32 rounding of the result
      assert.ok(Math.abs(w - v) <= column.step / 2 + Math.abs(v) * 2 ** -23, `value ${i}: ${w} for ${v}`);
    }
  });
  assert.ok(open > 0, 'the fixture has open contacts');
});

test('the page can state the largest rounding of each kind of number', async () => {
  const { replay: head, data } = packed();
  const { packing, fields } = await read_embedded(head, data);
  const position = packing.steps.find((s) => s.kind === 'position')!;
  const expected = Math.max(...fields.filter((f) => f.kind === 'pose').flatMap((f) => [0, 1, 2].map((a) => data.columns[f.offset + a]!.step)));
  assert.equal(position.step, expected);
  assert.equal(position.unit, 'm');
  assert.ok(packing.bytes < packing.raw);
});

test('embedded float32 data is read as well', async () => {
  const back = await read_embedded(header(), { encoding: 'float32', bytes: Buffer.from(bytes()).toString('base64') });
  assert.deepEqual(back.values, raw().values);
});

test('data cut short is refused with the number of frames found', () => {
  const cut = bytes().slice(0, bytes().byteLength - 4 * (header().floats_per_frame as number));
  refuses(() => make_replay(header(), read_float32(cut)), /holds \d+ frames.*cut short/);
  refuses(() => read_float32(bytes().slice(0, 6)), /multiple of four/);
});

test('packed data that is damaged, short or long is refused', async () => {
  const { replay: head, data } = packed();
  const spoil = (change: Partial<typeof data>) => read_embedded(head, { ...data, ...change });
  await assert.rejects(spoil({ bytes: '!!' }), ReplayError);
  await assert.rejects(spoil({ bytes: data.bytes.slice(0, 400) }), ReplayError);
  await assert.rejects(spoil({ encoding: 'delta24' }), /cannot read/);
  await assert.rejects(spoil({ columns: data.columns.slice(1) }), /columns/);
  await assert.rejects(read_embedded({ ...(head as object), frames: 3 }, data), /longer than the replay says/);
  await assert.rejects(read_embedded({ ...(head as object), frames: 4000 }, data), /cut short/);
});

test('a header with a fault is refused in words that name it', () => {
  const values = read_float32(bytes());
  const with_header = (change: object) => () => make_replay({ ...header(), ...change }, values);
  refuses(() => make_replay(null, values), /not an object/);
  refuses(with_header({ format: 'other' }), /not a Coluber replay/);
  refuses(with_header({ version: 2 }), /version 2/);
  refuses(with_header({ frames: -1 }), /"frames"/);
  refuses(with_header({ rate_hz: 0 }), /rate_hz/);
  refuses(with_header({ bodies: 'none' }), /no list of bodies/);
  refuses(with_header({ fields: [{ name: 'far', kind: 'scalar', offset: 1e6, count: 1 }] }), /"far" ends at float/);
  refuses(with_header({ fields: [{ name: 'p', kind: 'pose', body: 'link_9', offset: 0, count: 7 }] }), /"link_9", which is not a body/);
  refuses(with_header({ fields: [{ name: 'p', kind: 'pose', body: 'link_1', offset: 0, count: 6 }] }), /a pose has 7/);
});

test('fields of a kind not known are skipped and named, the rest is read', () => {
  const json = header();
  const before = raw().fields.length;
  json.fields.push({ name: 'smell', kind: 'aroma', body: null, unit: '', offset: 0, count: 1 });
  const replay = make_replay(json, read_float32(bytes()));
  assert.equal(replay.fields.length, before);
  assert.deepEqual(replay.skipped, ['aroma']);
});

test('a colour that is not #rrggbb becomes grey', () => {
  const json = header();
  json.bodies[0]!.colour = 'red;} body{display:none';
  assert.equal(make_replay(json, read_float32(bytes())).bodies[0]!.colour, '#808080');
});

test('numbered scalars form one group with their unit, positions one an axis', () => {
  const groups = make_groups(raw());
  const torque = groups.find((g) => g.name === 'joint_torque')!;
  assert.equal(torque.unit, 'N m');
  assert.deepEqual(torque.channels.map((c) => c.key), ['1', '2']);
  assert.ok(groups.some((g) => g.name === 'position_x' && g.channels.length === 3));
  assert.ok(!groups.some((g) => g.name === 'position_z'), 'nothing moves along z');
  assert.ok(!groups.some((g) => g.name === 'time'));
});

test('a channel reads the value of its field', () => {
  const replay = raw();
  const field = replay.fields.find((f) => f.name === 'joint_torque.2')!;
  const channel = make_groups(replay).find((g) => g.name === 'joint_torque')!.channels[1]!;
  for (let k = 0; k < replay.frames; ++k) assert.equal(channel.read(k), replay.values[k * replay.width + field.offset]);
});

test('the frame at a time is the nearest one', () => {
  const time = Float64Array.of(0, 0.1, 0.2, 0.3);
  assert.deepEqual([-1, 0, 0.04, 0.06, 0.1, 0.26, 9, NaN].map((t) => frame_at(time, t)), [0, 0, 0, 1, 1, 3, 3, 0]);
  assert.equal(frame_at(Float64Array.of(0), 5), 0);
});

test('joints are found where the links meet, from the motion alone', () => {
  const replay = raw();
  const length = (JSON.parse(text('run.json')) as { scenario: { resolved: { robot: { link: { length: number } } } } }).scenario.resolved.robot.link.length;
  const pose = (i: number) => replay.fields.find((f) => f.kind === 'pose' && f.body === `link_${i}`)!;
  const fit = fit_joint(replay, pose(1), pose(2))!;
  // half a link from either centre; float32 positions leave about 1e-6 m
  assert.ok(Math.abs(Math.abs(fit.a) - length / 2) < 1e-4, `${fit.a}`);
  assert.ok(Math.abs(Math.abs(fit.b) - length / 2) < 1e-4, `${fit.b}`);
  assert.ok(fit_joint(replay, pose(1), pose(3)) === null, 'links 1 and 3 do not meet');
});

const vectors = (fields: Record<string, unknown>[]): Replay => {
  let offset = 1;
  const all = [{ name: 'time', kind: 'scalar', offset: 0, count: 1 }, ...fields.map((f) => ({ kind: 'vector', count: 3, unit: 'm/s', ...f, offset: (offset += 3) - 3 }))];
  const bodies = ['link_1', 'link_2', 'head'].map((name) => ({ name, shape: 'sphere', size: [1] }));
  return make_replay({ format: 'coluber-replay', version: 1, frames: 1, rate_hz: 1, floats_per_frame: offset, bodies, fields: all }, Float32Array.from({ length: offset }, (_, i) => i));
};

test('vectors of one quantity go together, whether numbered or named after their bodies', () => {
  const families = make_vectors(vectors([
    { name: 'velocity.1', label: 'velocity 1', body: 'link_1' },
    { name: 'velocity.2', label: 'velocity 2', body: 'link_2' },
    { name: 'link_1.push', label: 'link 1 push', body: 'link_1' },
    { name: 'link_2.push', label: 'link 2 push', body: 'link_2' },
    { name: 'gravity', label: 'gravity' },
  ]));
  assert.deepEqual(families.map((f) => [f.name, f.label, f.fields.length]), [['velocity', 'velocity', 2], ['push', 'push', 2], ['gravity', 'gravity', 1]]);
});

test('vectors of several bodies are plotted by size, a single one by axis', () => {
  const groups = make_groups(vectors([{ name: 'velocity.1', label: 'velocity 1', body: 'link_1' }, { name: 'velocity.2', label: 'velocity 2', body: 'link_2' }, { name: 'gravity', label: 'gravity' }]));
  const velocity = groups.find((g) => g.name === 'velocity')!;
  assert.deepEqual(velocity.channels.map((c) => c.key), ['1', '2']);
  assert.ok(Math.abs(velocity.channels[1]!.read(0) - Math.hypot(4, 5, 6)) < 1e-6);
  assert.deepEqual(groups.find((g) => g.name === 'gravity')!.channels.map((c) => [c.key, c.read(0)]), [['x', 7], ['y', 8], ['z', 9]]);
});

test('unpacking undoes the differences of columns that change, stand still, or are never a number', () => {
  const frames = 100, columns = [{ min: -1, step: 0.5 }, { min: 3, step: 2 }, { min: 4, step: 0 }, { min: 0, step: 0 }, { min: 1, step: 1 }];
  const q = [Array.from({ length: frames }, (_, k) => (k * 7919) % 65536), Array.from({ length: frames }, (_, k) => (k % 33 === 0 ? 65535 : 65534 - k)), Array<number>(frames).fill(0), Array<number>(frames).fill(65535), Array.from({ length: frames }, (_, k) => (k === frames - 1 ? 9 : 5))];
  const width = columns.length;
  const planes = new Uint8Array(2 * width * frames);
  q.forEach((column, c) => column.forEach((x, k) => {
    const difference = (x - (k > 0 ? column[k - 1]! : 0)) & 0xffff;
    planes[c * frames + k] = difference & 0xff;
    planes[width * frames + c * frames + k] = difference >> 8;
  }));
  const values = unpack_planes(planes, columns, frames);
  for (let k = 0; k < frames; ++k) {
    q.forEach((column, c) => assert.ok(Object.is(values[width * k + c], column[k] === 65535 ? NaN : Math.fround(columns[c]!.min + columns[c]!.step * column[k]!))));
  }
});

test('time comes back to the last bit, however the other columns are rounded', async () => {
  const { replay: head, data } = packed();
  assert.deepEqual((await read_embedded(head, data)).time, raw().time);
  const { time, ...without } = data;
  assert.ok(time.length > 0);
  assert.equal((await read_embedded(head, without)).frames, raw().frames, 'pages without it are read as well');
  await assert.rejects(read_embedded(head, { ...data, time: data.time.slice(0, 8) }), ReplayError);
});

test('the bits of numbers are put together from their differences', () => {
  const numbers = Float32Array.from({ length: 100001 }, (_, k) => k / 1000 - 3);
  const bits = new Uint32Array(numbers.buffer);
  const planes = new Uint8Array(4 * bits.length);
  bits.forEach((x, k) => {
    const difference = (x - (k > 0 ? bits[k - 1]! : 0)) >>> 0;
    for (let b = 0; b < 4; ++b) planes[b * bits.length + k] = (difference >>> (8 * b)) & 0xff;
  });
  assert.deepEqual(unpack_bits(planes, bits.length), numbers);
});

test('links are the bodies of that name, and all that move where there are none', () => {
  assert.deepEqual(find_links(raw()).map((b) => b.name), ['link_1', 'link_2', 'link_3']);
  const json = header();
  for (const body of json.bodies) body.name = String(body.name).replace('link', 'part');
  for (const field of json.fields) if (typeof field.body === 'string') field.body = field.body.replace('link', 'part');
  assert.deepEqual(find_links(make_replay(json, read_float32(bytes()))).map((b) => b.name), ['part_1', 'part_2', 'part_3']);
});

test('a small file that speaks of gigabytes is refused before memory is asked for', async () => {
  const { replay: head, data } = packed();
  const wide = { ...(head as object), frames: 2 ** 23 };
  await assert.rejects(read_embedded(wide, data), /far shorter than the replay says/);
});

test('a browser that cannot unpack is told so', async () => {
  const { replay: head, data } = packed();
  const real = globalThis.DecompressionStream;
  try {
    globalThis.DecompressionStream = undefined as unknown as typeof DecompressionStream;
    await assert.rejects(read_embedded(head, data), /browser is too old/);
  } finally {
    globalThis.DecompressionStream = real;
  }
});
