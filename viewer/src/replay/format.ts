// The replay format, version 1: replay.json describes bodies and fields, replay.bin holds
// frames × floats_per_frame little-endian float32. Nothing here knows a robot model.

export interface Body {
  name: string;
  shape: string; // capsule, sphere, cylinder, box, circle, tube, wheel, plane; others are not drawn
  size: number[]; // m
  colour: string; // #rrggbb
  pose: Float64Array | null; // x y z qw qx qy qz of a body that stands still
  parent: string | null; // the body it is joined to; null: the moving body before it
  joint: [number, number, number] | null; // where, in its own axes; null: found from the motion
  coordinates: number[]; // numbers from 1 of the joint angles between the two
  points: Float64Array | null; // of a tube that stands still: x y z each, world axes
}

export interface Field {
  name: string;
  label: string;
  kind: string; // pose | scalar | vector | polyline | profile | contact; others are skipped
  body: string | null;
  unit: string;
  offset: number;
  count: number;
  family: string | null; // of arrows, of a contact
  group: string | null; // of quantities, of a scalar
  index: number | null; // number of its joint or link, from 1
  component: string | null; // yaw, pitch, x, …
}

/** Arrows of one kind. */
export interface Family {
  name: string;
  label: string;
  colour: string | null; // #rrggbb; null: the page's own
  unit: string;
}

/** Quantities under one heading, as the file says. */
export interface GroupHeader {
  name: string;
  label: string;
  unit: string;
  role: '' | 'angle' | 'torque'; // of joints; '' for all else
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
  width: number; // floats per frame
  bodies: Body[];
  fields: Field[];
  families: Family[];
  groups: GroupHeader[];
  skipped: string[]; // kinds of fields that this viewer does not know
  values: Float32Array; // frames × width, row-major
  time: Float64Array; // s, one per frame
  packing: Packing;
}

/** What is wrong with a replay, in words for the person who opened it. */
export class ReplayError extends Error {}

const known_kinds = new Set(['pose', 'scalar', 'vector', 'polyline', 'profile', 'contact']);

export function fail(message: string): never {
  throw new ReplayError(message);
}

export function record(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(`${where} is not an object`);
  return value as Record<string, unknown>;
}

export function integer(value: unknown, where: string, least: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least) {
    fail(`${where} should be a whole number of at least ${least}, but is ${JSON.stringify(value) ?? 'missing'}`);
  }
  return value;
}

export function text(value: unknown, where: string): string {
  if (typeof value !== 'string') fail(`${where} should be text, but is ${JSON.stringify(value) ?? 'missing'}`);
  return value;
}

const text_or = (value: unknown, or: string): string => (typeof value === 'string' ? value : or);
const text_or_null = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const colour_or_null = (value: unknown): string | null => (typeof value === 'string' && /^#[0-9a-fA-F]{6}$/.test(value) ? value : null);

function read_points(value: unknown, name: string): Float64Array | null {
  if (value === undefined || value === null) return null;
  const is_point = (p: unknown) => Array.isArray(p) && p.length === 3 && p.every((x) => Number.isFinite(x));
  if (!Array.isArray(value) || !value.every(is_point)) fail(`the points of body "${name}" should be a list of three numbers each: x y z`);
  return Float64Array.from((value as number[][]).flat());
}

function read_joint(value: unknown, name: string): Body['joint'] {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || value.length !== 3 || !value.every((x) => Number.isFinite(x))) fail(`the joint of body "${name}" should be a point: x y z`);
  return value as [number, number, number];
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
  return {
    name,
    shape: text(body.shape, `the shape of body "${name}"`),
    size,
    colour: colour_or_null(body.colour) ?? '#808080',
    pose,
    parent: text_or_null(body.parent),
    joint: read_joint(body.joint, name),
    coordinates: Array.isArray(body.coordinates) ? body.coordinates.filter((j): j is number => Number.isInteger(j) && j > 0) : [],
    points: read_points(body.points, name),
  };
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
    label: text_or(field.label, name),
    kind,
    body: text_or_null(field.body),
    unit: text_or(field.unit, ''),
    offset,
    count,
    family: text_or_null(field.family),
    group: text_or_null(field.group),
    index: Number.isInteger(field.index) ? (field.index as number) : null,
    component: text_or_null(field.component),
  };
}

// What the file lists under `key`, each with a name; nothing where it has no such list.
function read_named(value: unknown, key: string): Record<string, unknown>[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) fail(`"${key}" should be a list`);
  return value.map((item, i) => {
    const entry = record(item, `entry ${i + 1} of "${key}"`);
    text(entry.name, `the name of entry ${i + 1} of "${key}"`);
    return entry;
  });
}

/** Families of arrows: those the file names, and for contacts of no such family one that holds them. */
function read_families(value: unknown, fields: Field[]): Family[] {
  const families = read_named(value, 'families').map((f) => {
    const name = f.name as string;
    return { name, label: text_or(f.label, name), colour: colour_or_null(f.colour), unit: text_or(f.unit, 'N') };
  });
  const contacts = fields.filter((f) => f.kind === 'contact');
  for (const { family, unit } of contacts) {
    if (family !== null && !families.some((f) => f.name === family)) families.push({ name: family, label: family.replace(/_/g, ' '), colour: null, unit });
  }
  // older files name no families: all their arrows are contact forces
  const loose = contacts.filter((f) => f.family === null);
  if (loose.length > 0 || !Array.isArray(value)) families.push({ name: contact_family, label: 'contact force', colour: null, unit: loose[0]?.unit || 'N' });
  return families;
}

/** Name of the family of contacts that name none. */
export const contact_family = 'contact';

/** The family of a field of contacts. */
export const family_of = (field: Field): string => field.family ?? contact_family;

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
    title: text_or(json.title, ''),
    frames,
    rate,
    width,
    bodies,
    fields,
    families: read_families(json.families, fields),
    groups: read_named(json.groups, 'groups').map((g) => ({ name: g.name as string, label: text_or(g.label, g.name as string), unit: text_or(g.unit, ''), role: g.role === 'angle' || g.role === 'torque' ? g.role : '' })),
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
