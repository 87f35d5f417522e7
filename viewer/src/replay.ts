// The replay format, version 1: replay.json describes bodies and fields, replay.bin holds
// frames × floats_per_frame little-endian float32. Nothing here knows a robot model.

export interface Body {
  name: string;
  shape: string; // capsule, sphere, cylinder, box, circle, tube, wheel, plane; others are not drawn
  size: number[]; // m
  colour: string; // #rrggbb
  pose: Float64Array | null; // x y z qw qx qy qz of a body that stands still
}

export interface Field {
  name: string;
  label: string;
  kind: string; // pose | scalar | vector | polyline | contact; others are skipped
  body: string | null;
  unit: string;
  offset: number;
  count: number;
}

export interface Packing {
  encoding: string;
  bytes: number; // as it lies in the page, base64 and columns included
  raw: number; // as float32
  steps: { kind: string; unit: string; step: number }[]; // largest quantisation step per kind of field
}

export interface Replay {
  title: string;
  frames: number;
  rate: number; // Hz
  width: number; // floats a frame
  bodies: Body[];
  fields: Field[];
  skipped: string[]; // kinds of fields that this viewer does not know
  values: Float32Array; // frames × width, row-major
  time: Float64Array; // s, one a frame
  packing: Packing;
}

/** What is wrong with a replay, in words for the person who opened it. */
export class ReplayError extends Error {}

const known_kinds = new Set(['pose', 'scalar', 'vector', 'polyline', 'contact']);

function fail(message: string): never {
  throw new ReplayError(message);
}

function record(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(`${where} is not an object`);
  return value as Record<string, unknown>;
}

function integer(value: unknown, where: string, least: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least) {
    fail(`${where} should be a whole number of at least ${least}, but is ${JSON.stringify(value) ?? 'missing'}`);
  }
  return value;
}

function text(value: unknown, where: string): string {
  if (typeof value !== 'string') fail(`${where} should be text, but is ${JSON.stringify(value) ?? 'missing'}`);
  return value;
}

function read_body(value: unknown, index: number): Body {
  const body = record(value, `body ${index + 1}`);
  const name = text(body.name, `the name of body ${index + 1}`);
  const size = Array.isArray(body.size) ? body.size.map(Number) : [];
  if (!size.every((s) => Number.isFinite(s) && s >= 0)) fail(`the size of body "${name}" is not a list of lengths`);
  let pose: Float64Array | null = null;
  if (body.pose !== undefined && body.pose !== null) {
    if (!Array.isArray(body.pose) || body.pose.length !== 7 || !body.pose.every((p) => Number.isFinite(p))) {
      fail(`the pose of body "${name}" should be seven numbers: x y z qw qx qy qz`);
    }
    pose = Float64Array.from(body.pose as number[]);
  }
  const colour = typeof body.colour === 'string' && /^#[0-9a-fA-F]{6}$/.test(body.colour) ? body.colour : '#808080';
  return { name, shape: text(body.shape, `the shape of body "${name}"`), size, colour, pose };
}

function read_field(value: unknown, index: number, width: number): Field {
  const field = record(value, `field ${index + 1}`);
  const name = text(field.name, `the name of field ${index + 1}`);
  const offset = integer(field.offset, `the offset of field "${name}"`, 0);
  const count = integer(field.count, `the count of field "${name}"`, 1);
  if (offset + count > width) {
    fail(`field "${name}" ends at float ${offset + count}, but a frame has only ${width}`);
  }
  const kind = text(field.kind, `the kind of field "${name}"`);
  if (kind === 'pose' && count !== 7) fail(`field "${name}" is a pose of ${count} floats; a pose has 7`);
  if (kind === 'contact' && count % 6 !== 0) fail(`field "${name}" has ${count} floats; contacts come in sixes`);
  return {
    name,
    label: typeof field.label === 'string' ? field.label : name,
    kind,
    body: typeof field.body === 'string' ? field.body : null,
    unit: typeof field.unit === 'string' ? field.unit : '',
    offset,
    count,
  };
}

/** Checks replay.json and joins it with the values of its frames. */
export function make_replay(header: unknown, values: Float32Array, packing?: Packing): Replay {
  const json = record(header, 'replay.json');
  if (json.format !== 'coluber-replay') fail('this is not a Coluber replay: "format" is not "coluber-replay"');
  if (json.version !== 1) {
    fail(`this replay has version ${JSON.stringify(json.version)}; this page reads version 1. Export it again with the same Coluber.`);
  }
  const frames = integer(json.frames, '"frames"', 1);
  const width = integer(json.floats_per_frame, '"floats_per_frame"', 1);
  const rate = json.rate_hz;
  if (typeof rate !== 'number' || !(rate > 0) || !Number.isFinite(rate)) fail('"rate_hz" should be a number above zero');
  if (values.length !== frames * width) {
    const found = values.length / width;
    fail(
      `the replay says ${frames} frames of ${width} numbers, but the data holds ${Number.isInteger(found) ? found : found.toFixed(2)} frames. ` +
        'The file was cut short or belongs to another run.',
    );
  }
  if (!Array.isArray(json.bodies) || !Array.isArray(json.fields)) fail('the replay has no list of bodies or of fields');
  const bodies = json.bodies.map(read_body);
  const all = json.fields.map((f, i) => read_field(f, i, width));
  const fields = all.filter((f) => known_kinds.has(f.kind));
  const skipped = [...new Set(all.filter((f) => !known_kinds.has(f.kind)).map((f) => f.kind))];
  const names = new Set(bodies.map((b) => b.name));
  for (const field of fields) {
    if (field.body !== null && !names.has(field.body)) fail(`field "${field.name}" belongs to "${field.body}", which is not a body`);
  }

  const time = new Float64Array(frames);
  const clock = fields.find((f) => f.name === 'time' && f.kind === 'scalar' && f.count === 1);
  for (let k = 0; k < frames; ++k) time[k] = clock ? values[k * width + clock.offset]! : k / rate;
  for (let k = 0; k < frames; ++k) {
    if (!Number.isFinite(time[k]) || (k > 0 && time[k]! < time[k - 1]!)) {
      fail(`time runs backwards or is not a number at frame ${k + 1}; the data is damaged`);
    }
  }
  return {
    title: typeof json.title === 'string' ? json.title : '',
    frames,
    rate,
    width,
    bodies,
    fields,
    skipped,
    values,
    time,
    packing: packing ?? { encoding: 'float32', bytes: values.byteLength, raw: values.byteLength, steps: [] },
  };
}

/** replay.bin as it lies in the run folder. */
export function read_float32(bytes: ArrayBuffer): Float32Array {
  if (bytes.byteLength % 4 !== 0) {
    fail(`the data has ${bytes.byteLength} bytes, not a multiple of four; it was cut short`);
  }
  const view = new DataView(bytes);
  const values = new Float32Array(bytes.byteLength / 4);
  for (let i = 0; i < values.length; ++i) values[i] = view.getFloat32(4 * i, true);
  return values;
}

function from_base64(text64: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text64);
  } catch {
    fail('the data in this page is not valid base64; the file is damaged');
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Reads at most `expected` bytes, so that a small hostile file cannot fill the memory.
async function inflate(bytes: Uint8Array, expected: number): Promise<Uint8Array> {
  let unpacker: DecompressionStream;
  try {
    unpacker = new DecompressionStream('deflate-raw');
  } catch {
    fail('this browser is too old to unpack the data. Chromium 103, Firefox 113, Safari 16.4 and later can.');
  }
  // deflate makes nothing smaller than a 1032nd
  if (expected > 1032 * bytes.length + 64) fail('the packed data is far shorter than the replay says; the file was cut short or is damaged');
  const out = new Uint8Array(expected);
  let filled = 0;
  try {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(unpacker);
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (filled + value.length > expected) {
        await reader.cancel();
        fail('the packed data is longer than the replay says; the file is damaged');
      }
      out.set(value, filled);
      filled += value.length;
    }
  } catch (error) {
    if (error instanceof ReplayError) throw error;
    fail('the packed data cannot be unpacked; the file is damaged');
  }
  if (filled !== expected) fail(`the packed data holds ${filled} bytes where ${expected} are needed; the file was cut short`);
  return out;
}

/**
 * delta16-deflate: every float column is min + step·q with q a uint16 (65535 is NaN), q is
 * replaced by its difference to the frame before (modulo 65536, the first to 0), columns lie one
 * after another; then all low bytes, then all high bytes, raw deflate over both.
 */
export function unpack_planes(planes: Uint8Array, columns: { min: number; step: number }[], frames: number): Float32Array {
  const width = columns.length;
  const total = frames * width;
  const values = new Float32Array(total);
  // most columns never change: the first frame is copied into all, then only the others are run through
  const changing: number[] = [];
  for (let c = 0; c < width; ++c) {
    const begin = c * frames;
    const q = planes[begin]! + (planes[total + begin]! << 8);
    values[c] = q === 0xffff ? NaN : columns[c]!.min + columns[c]!.step * q;
    let k = 1;
    while (k < frames && planes[begin + k] === 0 && planes[total + begin + k] === 0) ++k;
    if (k < frames) changing.push(c);
  }
  for (let k = 1; k < frames; ++k) values.copyWithin(k * width, 0, width);
  for (const c of changing) {
    const { min, step } = columns[c]!;
    const begin = c * frames;
    let q = planes[begin]! + (planes[total + begin]! << 8);
    for (let k = 1, i = begin + 1, to = width + c; k < frames; ++k, ++i, to += width) {
      q = (q + planes[i]! + (planes[total + i]! << 8)) & 0xffff;
      values[to] = q === 0xffff ? NaN : min + step * q;
    }
  }
  return values;
}

/**
 * Time is stored exactly: the bits of its float32 numbers as uint32, each replaced by its difference
 * to the one before (modulo 2^32, the first to 0), all lowest bytes first, then the next; raw deflate.
 */
export function unpack_bits(planes: Uint8Array, frames: number): Float32Array {
  const bits = new Uint32Array(frames);
  for (let k = 0, sum = 0; k < frames; ++k) {
    const difference = planes[k]! | (planes[frames + k]! << 8) | (planes[2 * frames + k]! << 16) | (planes[3 * frames + k]! << 24);
    bits[k] = sum = (sum + difference) >>> 0;
  }
  return new Float32Array(bits.buffer);
}

/** The replay of an exported page: {replay, data: {encoding, bytes, columns?, time?}}. */
export async function read_embedded(header: unknown, stored: unknown): Promise<Replay> {
  const data = record(stored, 'the data in this page');
  const bytes = from_base64(text(data.bytes, 'the data in this page'));
  if (data.encoding === 'float32') return make_replay(header, read_float32(bytes.buffer as ArrayBuffer));
  if (data.encoding !== 'delta16-deflate') {
    fail(`the data is stored as ${JSON.stringify(data.encoding)}, which this page cannot read. Export the run again with the same Coluber.`);
  }
  const json = record(header, 'replay.json');
  const frames = integer(json.frames, '"frames"', 1);
  const width = integer(json.floats_per_frame, '"floats_per_frame"', 1);
  if (!Array.isArray(data.columns) || data.columns.length !== width) {
    fail(`the packed data describes ${Array.isArray(data.columns) ? data.columns.length : 0} columns, a frame has ${width}`);
  }
  const columns = data.columns.map((value, c) => {
    const { min, step } = record(value, `column ${c + 1}`);
    if (typeof min !== 'number' || typeof step !== 'number' || !Number.isFinite(min) || !(step >= 0)) {
      fail(`column ${c + 1} of the packed data has no valid min and step`);
    }
    return { min, step };
  });
  if (frames * width > 2 ** 30) fail('this replay is larger than a page can hold');
  const planes = await inflate(bytes, 2 * frames * width);
  const values = unpack_planes(planes, columns, frames);
  const clock = Array.isArray(json.fields) ? json.fields.map((f) => record(f, 'a field')).find((f) => f.name === 'time') : undefined;
  if (data.time !== undefined && clock) {
    const column = integer(clock.offset, 'the offset of field "time"', 0);
    const time = unpack_bits(await inflate(from_base64(text(data.time, 'the time in this page')), 4 * frames), frames);
    if (column < width) time.forEach((t, k) => (values[k * width + column] = t));
    if (column < width) columns[column]!.step = 0;
  }
  const packing: Packing = { encoding: 'delta16-deflate', bytes: JSON.stringify(stored).length, raw: 4 * frames * width, steps: [] };
  const replay = make_replay(header, values, packing);
  const largest = new Map<string, { kind: string; unit: string; step: number }>();
  for (const field of replay.fields) {
    // a pose is metres, then a quaternion; a contact is metres, then a force
    const parts: [string, string, number, number][] =
      field.kind === 'pose'
        ? [['position', 'm', 0, 3], ['orientation', '', 3, 7]]
        : field.kind === 'contact'
          ? [['contact point', 'm', 0, 3], ['contact force', field.unit, 3, 6]]
          : [[field.label.replace(/\s*\d+$/, ''), field.unit, 0, field.count]];
    const period = field.kind === 'contact' ? 6 : field.count;
    for (const [kind, unit, from, to] of parts) {
      let step = 0;
      for (let i = 0; i < field.count; ++i) {
        if (i % period >= from && i % period < to) step = Math.max(step, columns[field.offset + i]!.step);
      }
      const key = `${kind}|${unit}`;
      largest.set(key, { kind, unit, step: Math.max(step, largest.get(key)?.step ?? 0) });
    }
  }
  packing.steps = [...largest.values()];
  return replay;
}

/** The frame nearest to time t. */
export function frame_at(time: Float64Array, t: number): number {
  let low = 0;
  let high = time.length - 1;
  if (!(t > time[0]!)) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle]! <= t) low = middle;
    else high = middle;
  }
  return t - time[low]! <= time[high]! - t ? low : high;
}

/** The bodies that colours, trails and joints go by: link_1, link_2, …, or all that move where there are none. */
export function find_links(replay: Replay): Body[] {
  const moving = new Set(replay.fields.filter((f) => f.kind === 'pose').map((f) => f.body));
  const bodies = replay.bodies.filter((b) => moving.has(b.name));
  const links = bodies.filter((b) => /^link_\d+$/.test(b.name));
  return links.length > 0 ? links : bodies;
}

// ---------------------------------------------------------------------------------------------
// Channels: what can be plotted. A group is one quantity with one unit; its members are numbered.

export interface Channel {
  key: string; // the member's mark: 1, 2, … or x, y
  title: string;
  read: (frame: number) => number;
}

export interface Group {
  name: string;
  label: string;
  unit: string;
  channels: Channel[];
}

export interface Vectors {
  name: string;
  label: string;
  unit: string;
  fields: Field[]; // one a body
}

/** Vector fields of one quantity together: `velocity.1`, `velocity.2` or `link_1.velocity`, `link_2.velocity`. */
export function make_vectors(replay: Replay): Vectors[] {
  const families = new Map<string, Vectors>();
  for (const field of replay.fields.filter((f) => f.kind === 'vector')) {
    const own = field.body !== null && field.name.startsWith(`${field.body}.`);
    const name = own ? field.name.slice(field.body!.length + 1) : field.name.replace(/\.\d+$/, '');
    const spoken = field.body?.replace(/_/g, ' ') ?? '';
    const label = own && spoken && field.label.startsWith(`${spoken} `) ? field.label.slice(spoken.length + 1) : field.label.replace(/\s*\d+$/, '');
    const family = families.get(name) ?? { name, label, unit: field.unit, fields: [] };
    family.fields.push(field);
    families.set(name, family);
  }
  return [...families.values()];
}

/** Groups of channels: numbered scalars together, positions by axis, the force on each body. */
export function make_groups(replay: Replay): Group[] {
  const groups = new Map<string, Group>();
  const { values, width } = replay;
  const add = (name: string, label: string, unit: string, key: string, title: string, read: Channel['read']) => {
    let group = groups.get(name);
    if (!group) groups.set(name, (group = { name, label, unit, channels: [] }));
    group.channels.push({ key, title, read });
  };
  const axes = ['x', 'y', 'z'];
  const short = (name: string) => name.replace(/^link_/, '');
  const scalars = replay.fields.filter((f) => f.kind === 'scalar' && f.name !== 'time');
  for (const field of scalars) {
    const match = /^(.*)\.(\d+)$/.exec(field.name);
    for (let i = 0; i < field.count; ++i) {
      const at = field.offset + i;
      const read = (k: number) => values[k * width + at]!;
      if (match && field.count === 1) {
        add(match[1]!, field.label.replace(/\s*\d+$/, ''), field.unit, match[2]!, field.label, read);
      } else {
        add(field.name, field.label, field.unit, field.count === 1 ? '' : String(i + 1), field.label, read);
      }
    }
  }
  // vectors of several bodies: the size of each; a single one by axis
  for (const family of make_vectors(replay)) {
    if (family.fields.length > 1) {
      for (const field of family.fields) {
        const read = (k: number) => Math.hypot(...values.subarray(k * width + field.offset, k * width + field.offset + field.count));
        add(family.name, family.label, family.unit, short(field.body ?? field.name), field.label, read);
      }
      continue;
    }
    const field = family.fields[0]!;
    for (let i = 0; i < field.count; ++i) {
      const at = field.offset + i;
      const axis = field.count <= 3 ? axes[i]! : String(i + 1);
      add(field.name, field.label, field.unit, axis, `${field.label} ${axis}`, (k) => values[k * width + at]!);
    }
  }
  for (const field of replay.fields.filter((f) => f.kind === 'contact')) {
    const name = field.body ?? field.name;
    const read = (k: number) => {
      let sum = 0;
      for (let s = 0; s < field.count; s += 6) {
        const at = k * width + field.offset + s + 3;
        const f = Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!);
        if (Number.isFinite(f)) sum += f;
      }
      return sum;
    };
    add('contact_force', 'contact force', field.unit, short(name), `contact force on ${name.replace(/_/g, ' ')}`, read);
  }
  const poses = replay.fields.filter((f) => f.kind === 'pose');
  for (let a = 0; a < 3; ++a) {
    const moves = poses.some((f) => {
      for (let k = 0; k < replay.frames; ++k) if (values[k * width + f.offset + a] !== values[f.offset + a]) return true;
      return false;
    });
    if (!moves) continue;
    for (const field of poses) {
      const at = field.offset + a;
      const name = field.body ?? field.name;
      add(`position_${axes[a]}`, `position ${axes[a]}`, field.unit || 'm', short(name), `${name.replace(/_/g, ' ')} ${axes[a]}`, (k) => values[k * width + at]!);
    }
  }
  return [...groups.values()];
}

/**
 * Where consecutive bodies meet, from the motion alone: lengths a, b along their x axes with
 * c1 + a e1 = c2 + b e2 in the least-squares sense over the frames; null when they never do.
 */
export function fit_joint(replay: Replay, first: Field, second: Field): { a: number; b: number } | null {
  const { values, width, frames } = replay;
  let s11 = 0, s12 = 0, s22 = 0, r1 = 0, r2 = 0, dd = 0, n = 0;
  const stride = Math.max(1, Math.floor(frames / 200));
  for (let k = 0; k < frames; k += stride) {
    const p = k * width + first.offset;
    const q = k * width + second.offset;
    const e1 = body_axis(values, p);
    const e2 = body_axis(values, q);
    const d = [values[q]! - values[p]!, values[q + 1]! - values[p + 1]!, values[q + 2]! - values[p + 2]!] as const;
    if (!Number.isFinite(d[0] + d[1] + d[2])) continue;
    const dot = (u: readonly number[], v: readonly number[]) => u[0]! * v[0]! + u[1]! * v[1]! + u[2]! * v[2]!;
    s11 += 1; // |e1| = 1
    s22 += 1;
    s12 += dot(e1, e2);
    r1 += dot(e1, d);
    r2 -= dot(e2, d);
    dd += dot(d, d);
    ++n;
  }
  if (n === 0) return null;
  // minimise Σ |a e1 - b e2 - d|²
  const det = s11 * s22 - s12 * s12;
  let a: number, b: number;
  if (det > 1e-6 * s11 * s22) {
    a = (r1 * s22 + r2 * s12) / det;
    b = (r2 * s11 + r1 * s12) / det;
  } else {
    a = r1 / (2 * s11); // never bent: half way
    b = r2 / (2 * s22);
  }
  const error = dd - 2 * (a * r1 + b * r2) + a * a * s11 + b * b * s22 - 2 * a * b * s12;
  return error <= 0.0025 * dd ? { a, b } : null;
}

/** The x axis of a body whose pose starts at `at`. */
export function body_axis(values: ArrayLike<number>, at: number): [number, number, number] {
  const w = values[at + 3]!, x = values[at + 4]!, y = values[at + 5]!, z = values[at + 6]!;
  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
}
