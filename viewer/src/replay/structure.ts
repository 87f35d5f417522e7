// What the bodies of a replay are to each other: which are links, which are joined, and where they meet.

import type { Body, Field, Replay } from './format.ts';

/** The poses of bodies that move, by body. */
export function find_poses(replay: Replay): Map<string, Field> {
  return new Map(replay.fields.filter((f) => f.kind === 'pose' && f.body !== null).map((f) => [f.body!, f]));
}

/** The bodies that colours, trails and joints go by: link_1, link_2, …, or all that move where there are none. */
export function find_links(replay: Replay): Body[] {
  const moving = find_poses(replay);
  const bodies = replay.bodies.filter((b) => moving.has(b.name));
  const links = bodies.filter((b) => /^link_\d+$/.test(b.name));
  return links.length > 0 ? links : bodies;
}

/** How thick a body is around its x axis: half its width. */
export function radius_of(body: Body): number {
  const [a = 0, b = 0, c = 0] = body.size;
  return body.shape === 'box' ? Math.max(b, c) / 2 : a;
}

export type Point = [number, number, number];

/** Two bodies that meet: where, in the axes of each. */
export interface Joint {
  first: Field; // pose of the parent
  second: Field; // pose of the child
  at_first: Point;
  at_second: Point;
  by_child: boolean; // drawn at at_second: the file says where, and the child may slide along its parent
  radius: number; // m, of what is joined there
  coordinates: number[]; // of its angles, from 1
}

/** Numbers of joint angles that the file gives to bodies; none: one joint per link but the first, in their order. */
export function named_coordinates(links: Body[]): Set<number> {
  return new Set(links.flatMap((b) => b.coordinates));
}

/**
 * A joint per link but the first, in the order of the links: with the parent the file names, else with the link before.
 * Null where the two never meet, and where a file that numbers its joints gives the link none: it is fixed.
 */
export function find_joints(replay: Replay): (Joint | null)[] {
  const poses = find_poses(replay);
  const links = find_links(replay);
  const numbered = named_coordinates(links).size > 0;
  return links.slice(1).map((link, i) => {
    if (numbered && link.coordinates.length === 0) return null;
    const coordinates = numbered ? link.coordinates : [i + 1];
    const parent = link.parent === null ? links[i]! : replay.bodies.find((b) => b.name === link.parent);
    const first = parent && poses.get(parent.name);
    const second = poses.get(link.name)!;
    if (!first) return null;
    const radius = radius_of(link);
    const of_tree = Math.min(1.6 * radius, Math.max(radius, radius_of(parent))) || 0.03;
    if (link.joint) return { first, second, at_first: [0, 0, 0], at_second: link.joint, by_child: true, radius: of_tree, coordinates };
    const along = fit_joint(replay, first, second);
    if (along) return { first, second, at_first: [along.a, 0, 0], at_second: [along.b, 0, 0], by_child: false, radius: Math.max(radius, radius_of(parent)) || 0.03, coordinates };
    // chains meet on their axes; trees, whose files name parents, anywhere
    const anywhere = link.parent === null ? null : fit_point(replay, first, second, radius);
    return anywhere && { first, second, ...anywhere, by_child: false, radius: of_tree, coordinates };
  });
}

function each_pair(replay: Replay, first: Field, second: Field, act: (p: number, q: number, d: Point) => void): void {
  const { values, width, frames } = replay;
  const stride = Math.max(1, Math.floor(frames / 200));
  for (let k = 0; k < frames; k += stride) {
    const p = k * width + first.offset;
    const q = k * width + second.offset;
    const d: Point = [values[q]! - values[p]!, values[q + 1]! - values[p + 1]!, values[q + 2]! - values[p + 2]!];
    if (Number.isFinite(d[0] + d[1] + d[2])) act(p, q, d);
  }
}

const dot = (u: readonly number[], v: readonly number[]) => u[0]! * v[0]! + u[1]! * v[1]! + u[2]! * v[2]!;

/**
 * Where consecutive bodies meet, from the motion alone: lengths a, b along their x axes with
 * c1 + a e1 = c2 + b e2 in the least-squares sense over the frames; null when they never do.
 */
export function fit_joint(replay: Replay, first: Field, second: Field): { a: number; b: number } | null {
  const { values } = replay;
  let s12 = 0, r1 = 0, r2 = 0, dd = 0, n = 0; // |e1| = |e2| = 1
  each_pair(replay, first, second, (p, q, d) => {
    const e1 = body_axis(values, p);
    const e2 = body_axis(values, q);
    s12 += dot(e1, e2);
    r1 += dot(e1, d);
    r2 -= dot(e2, d);
    dd += dot(d, d);
    ++n;
  });
  if (n === 0) return null;
  // minimise Σ |a e1 - b e2 - d|²
  const det = n * n - s12 * s12;
  let a: number, b: number;
  if (det > 1e-6 * n * n) {
    a = (r1 * n + r2 * s12) / det;
    b = (r2 * n + r1 * s12) / det;
  } else {
    a = r1 / (2 * n); // never bent: half way
    b = r2 / (2 * n);
  }
  const error = dd - 2 * (a * r1 + b * r2) + a * a * n + b * b * n - 2 * a * b * s12;
  return error <= 0.0025 * dd ? { a, b } : null;
}

/**
 * The same for bodies that meet off their axes: points x, y in the axes of each with c1 + R1 x = c2 + R2 y. What the
 * motion leaves open (along the axis of a hinge; all, where nothing turns) is shared by halves. Null when the
 * points stay further apart than a twentieth of the distance and of `radius`.
 */
export function fit_point(replay: Replay, first: Field, second: Field, radius: number): { at_first: Point; at_second: Point } | null {
  const { values } = replay;
  // normal equations of Σ |R1 x - R2 y - d|², six unknowns, with a hair of |x|² + |y|²
  const m = Array.from({ length: 6 }, () => new Float64Array(7));
  let dd = 0, n = 0;
  each_pair(replay, first, second, (p, q, d) => {
    const one = rotation(values, p), two = rotation(values, q); // columns: the axes of the body
    for (let i = 0; i < 3; ++i) {
      for (let j = 0; j < 3; ++j) {
        const c = dot(one[i]!, two[j]!);
        m[i]![3 + j]! -= c;
        m[3 + j]![i]! -= c;
      }
      m[i]![6]! += dot(one[i]!, d);
      m[3 + i]![6]! -= dot(two[i]!, d);
    }
    dd += dot(d, d);
    ++n;
  });
  if (n === 0) return null;
  for (let i = 0; i < 6; ++i) m[i]![i]! += n * (1 + 1e-9);
  const b = m.map((row) => row[6]!);
  const normal = m.map((row) => row.slice(0, 6));
  const x = solve(m);
  let error = dd;
  for (let i = 0; i < 6; ++i) {
    error -= 2 * x[i]! * b[i]!;
    for (let j = 0; j < 6; ++j) error += x[i]! * normal[i]![j]! * x[j]!;
  }
  if (!(error <= 0.0025 * (dd + n * radius * radius))) return null;
  return { at_first: [x[0]!, x[1]!, x[2]!], at_second: [x[3]!, x[4]!, x[5]!] };
}

// Gauss elimination with pivoting of six rows [A | b].
function solve(m: Float64Array[]): number[] {
  const n = m.length;
  for (let i = 0; i < n; ++i) {
    let best = i;
    for (let r = i + 1; r < n; ++r) if (Math.abs(m[r]![i]!) > Math.abs(m[best]![i]!)) best = r;
    [m[i], m[best]] = [m[best]!, m[i]!];
    for (let r = 0; r < n; ++r) {
      if (r === i) continue;
      const f = m[r]![i]! / m[i]![i]!;
      for (let c = i; c <= n; ++c) m[r]![c]! -= f * m[i]![c]!;
    }
  }
  return m.map((row, i) => row[n]! / row[i]!);
}

/** The axes of a body whose pose starts at `at`, in the world. */
export function rotation(values: ArrayLike<number>, at: number): [Point, Point, Point] {
  const w = values[at + 3]!, x = values[at + 4]!, y = values[at + 5]!, z = values[at + 6]!;
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** The x axis of a body whose pose starts at `at`. */
export function body_axis(values: ArrayLike<number>, at: number): Point {
  const w = values[at + 3]!, x = values[at + 4]!, y = values[at + 5]!, z = values[at + 6]!;
  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
}
