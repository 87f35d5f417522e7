// The replay of an exported page: packed numbers, unpacked again. docs/viewer.md describes the packing.

import { fail, integer, make_replay, read_float32, record, ReplayError, text, type Packing, type Replay } from './format.ts';

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
          : [[replay.groups.find((g) => g.name === field.group)?.label ?? field.label.replace(/\s*\d+$/, ''), field.unit, 0, field.count]];
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
