// Curves through points, moving or standing: a tube where there is a radius, else a line three pixels wide. Numbers
// along a curve set its radius and its colour. A tube that stands, a path to follow, has a line in it: from far it is
// not lost, and a trail along it has it on both sides.

import * as THREE from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

import { own_name } from '../replay/channels.ts';
import type { Body, Field, Replay } from '../replay/format.ts';
import { diverging, make_material, standing_colour, type Palette } from './palette.ts';

const sides = 12;

/** A curve as drawn: its points, and the radius and colour at each. */
export interface TubeView {
  name: string;
  visible: boolean;
  points: number[][];
  radii: number[]; // of a line 0
  colours: string[];
}

const thread_pixels = 5;

class Tube {
  readonly object: THREE.Object3D;
  private readonly line: Line2 | null = null; // all there is of it
  private readonly thread: Line2 | null = null; // in the tube
  private readonly geometry = new THREE.BufferGeometry();
  private readonly centres: Float32Array; // x y z each, as drawn
  private readonly radii: Float32Array; // m
  private readonly colours: Float32Array; // r g b each, as drawn
  private readonly own = new THREE.Color(); // without numbers
  private plain = false; // drawn in its own colour

  constructor(readonly body: Body | undefined, readonly name: string, readonly count: number, readonly radius_field: Field | null, ghost: boolean, stands: boolean) {
    this.own.set(body?.colour ?? '#0072b2');
    const radius = body?.shape === 'tube' ? (body.size[0] ?? 0) : 0;
    this.centres = new Float32Array(3 * count);
    this.radii = new Float32Array(count).fill(radius);
    this.colours = new Float32Array(3 * count);
    const material = make_material(ghost);
    if (radius > 0 || radius_field) {
      this.object = this.make_tube(material);
      if (stands) {
        this.thread = this.make_line(thread_pixels, material);
        // behind the floor and hiding nothing: what lies on it is drawn over it
        this.thread.material.depthWrite = false;
        this.thread.renderOrder = 1;
        this.object.add(this.thread);
      }
    } else {
      this.object = this.line = this.make_line(3, material);
    }
    this.object.frustumCulled = false;
    this.colour(null);
  }

  private make_line(pixels: number, { transparent, opacity }: THREE.Material): Line2 {
    const line = new Line2(new LineGeometry(), new LineMaterial({ linewidth: pixels, transparent, opacity, vertexColors: true }));
    line.geometry.setPositions(new Float32Array(3 * this.count));
    line.geometry.setColors(new Float32Array(3 * this.count));
    line.frustumCulled = false;
    return line;
  }

  // Puts numbers, three per point, into the segments of the line.
  private fill_line(name: 'instanceStart' | 'instanceColorStart', numbers: Float32Array): void {
    const line = this.line ?? this.thread;
    if (!line) return;
    const { data } = line.geometry.getAttribute(name) as THREE.InterleavedBufferAttribute;
    for (let i = 0; i + 1 < this.count; ++i) data.array.set(numbers.subarray(3 * i, 3 * i + 6), 6 * i);
    data.needsUpdate = true;
  }

  // Rings of vertices, one per point, and a disc of its own at either end.
  private make_tube(material: THREE.MeshPhongMaterial): THREE.Mesh {
    const { count } = this;
    const vertices = sides * (count + 2);
    for (const name of ['position', 'normal', 'color']) this.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * vertices), 3));
    const corners: number[] = [];
    for (let i = 0; i + 1 < count; ++i) {
      for (let j = 0; j < sides; ++j) {
        const a = i * sides + j, b = i * sides + ((j + 1) % sides);
        corners.push(a, b, a + sides, b, b + sides, a + sides);
      }
    }
    for (let j = 1; j + 1 < sides; ++j) {
      const head = count * sides, tail = head + sides;
      corners.push(head, head + j + 1, head + j, tail, tail + j, tail + j + 1);
    }
    this.geometry.setIndex(corners);
    material.vertexColors = true;
    material.side = THREE.DoubleSide;
    const mesh = new THREE.Mesh(this.geometry, material);
    mesh.castShadow = mesh.receiveShadow = !material.transparent;
    return mesh;
  }

  set_own(colour: string): void {
    this.own.set(colour);
    if (!this.plain) return;
    this.plain = false;
    this.colour(null);
  }

  /** Puts the curve through the points at `at`; numbers along it are those of the frame that starts at `frame_start`. */
  update(points: ArrayLike<number>, at: number, values: ArrayLike<number>, frame_start: number): void {
    const { count, centres, radii } = this;
    let known = count > 1;
    for (let i = 0; i < 3 * count; ++i) {
      centres[i] = points[at + i]!;
      known &&= Number.isFinite(centres[i]);
    }
    this.object.visible = known;
    if (!known) return;
    this.fill_line('instanceStart', centres);
    if (this.line) return;
    if (this.radius_field) {
      for (let i = 0; i < count; ++i) {
        const r = values[frame_start + this.radius_field.offset + i]!;
        radii[i] = r >= 0 && Number.isFinite(r) ? r : 0;
      }
    }
    this.place_rings();
  }

  // Rings around the curve, carried from point to point without twist.
  private place_rings(): void {
    const { count, centres: p, radii } = this;
    const position = this.geometry.getAttribute('position') as THREE.BufferAttribute;
    const normal = this.geometry.getAttribute('normal') as THREE.BufferAttribute;
    const tangent = new THREE.Vector3(), before = new THREE.Vector3(), u = new THREE.Vector3(), v = new THREE.Vector3(), n = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    for (let i = 0; i < count; ++i) {
      const a = Math.max(0, i - 1), b = Math.min(count - 1, i + 1);
      tangent.set(p[3 * b]! - p[3 * a]!, p[3 * b + 1]! - p[3 * a + 1]!, p[3 * b + 2]! - p[3 * a + 2]!);
      const length = tangent.length();
      const slope = length > 0 ? (radii[b]! - radii[a]!) / length : 0; // a cone's normals lean
      if (length > 0) tangent.divideScalar(length);
      else tangent.copy(i > 0 ? before : tangent.set(1, 0, 0));
      if (i === 0) {
        u.set(0, 0, 1).addScaledVector(tangent, -tangent.z);
        if (u.lengthSq() > 1e-6) u.normalize();
        else u.set(1, 0, 0);
      } else u.applyQuaternion(turn.setFromUnitVectors(before, tangent));
      v.crossVectors(tangent, u);
      before.copy(tangent);
      const cap = i === 0 ? count * sides : i === count - 1 ? (count + 1) * sides : -1;
      for (let j = 0; j < sides; ++j) {
        const c = Math.cos((2 * Math.PI * j) / sides), s = Math.sin((2 * Math.PI * j) / sides);
        n.set(c * u.x + s * v.x, c * u.y + s * v.y, c * u.z + s * v.z);
        const x = p[3 * i]! + radii[i]! * n.x, y = p[3 * i + 1]! + radii[i]! * n.y, z = p[3 * i + 2]! + radii[i]! * n.z;
        position.setXYZ(i * sides + j, x, y, z);
        n.addScaledVector(tangent, -slope).normalize();
        normal.setXYZ(i * sides + j, n.x, n.y, n.z);
        if (cap < 0) continue;
        const out = i === 0 ? -1 : 1;
        position.setXYZ(cap + j, x, y, z);
        normal.setXYZ(cap + j, out * tangent.x, out * tangent.y, out * tangent.z);
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  }

  /** Colours the points by values in -1 … 1; null gives the curve its own colour. */
  colour(value: ((i: number) => number) | null): void {
    if (value === null && this.plain) return;
    this.plain = value === null;
    const { count, colours } = this;
    const colour = new THREE.Color();
    for (let i = 0; i < count; ++i) (value ? diverging(value(i), colour) : this.own).toArray(colours, 3 * i);
    this.fill_line('instanceColorStart', colours);
    if (this.line) return;
    const attribute = this.geometry.getAttribute('color') as THREE.BufferAttribute;
    const paint = (ring: number, i: number) => {
      for (let j = 0; j < sides; ++j) attribute.setXYZ(ring * sides + j, colours[3 * i]!, colours[3 * i + 1]!, colours[3 * i + 2]!);
    };
    for (let i = 0; i < count; ++i) paint(i, i);
    paint(count, 0);
    paint(count + 1, count - 1);
    attribute.needsUpdate = true;
  }

  /** Moves a flat curve up by z, onto a floor: it sinks in, and its line lies on top. How high over z it reaches. */
  lay_down(z: number, radius: number): number {
    this.object.position.z = z + 0.2 * radius;
    this.thread?.position.setZ(1.1 * radius);
    return this.thread ? 1.3 * radius : 1.2 * radius;
  }

  /** Calls with every point and the radius there. */
  each_point(act: (values: ArrayLike<number>, at: number, radius: number) => void): void {
    for (let i = 0; i < this.count; ++i) act(this.centres, 3 * i, this.line ? 0 : this.radii[i]!);
  }

  /** Read back from the vertices. */
  drawn(): TubeView {
    const points: number[][] = [], radii: number[] = [], shown: string[] = [];
    const colour = new THREE.Color();
    const a = new THREE.Vector3(), b = new THREE.Vector3();
    for (let i = 0; i < this.count; ++i) {
      if (this.line) {
        const [segment, end] = i === 0 ? [0, 0] : [i - 1, 3];
        const part = (name: string) => [...(this.line!.geometry.getAttribute(name) as THREE.InterleavedBufferAttribute).data.array.slice(6 * segment + end, 6 * segment + end + 3)];
        points.push(part('instanceStart').map((x, axis) => x + this.object.position.getComponent(axis)));
        radii.push(0);
        colour.fromArray(part('instanceColorStart'));
      } else {
        // the middle and the radius of a ring, from two vertices on opposite sides
        a.fromBufferAttribute(this.geometry.getAttribute('position') as THREE.BufferAttribute, i * sides);
        b.fromBufferAttribute(this.geometry.getAttribute('position') as THREE.BufferAttribute, i * sides + sides / 2);
        radii.push(a.distanceTo(b) / 2);
        points.push(a.add(b).multiplyScalar(0.5).add(this.object.position).toArray());
        colour.fromBufferAttribute(this.geometry.getAttribute('color') as THREE.BufferAttribute, i * sides);
      }
      shown.push(`#${colour.getHexString(THREE.SRGBColorSpace)}`);
    }
    return { name: this.name, visible: this.object.visible, points, radii, colours: shown };
  }
}

/** All curves of a run. */
export class Tubes {
  private readonly moving: { tube: Tube; field: Field; radius: Field | null; width: number }[] = [];
  private readonly standing: Tube[] = [];

  /** A ghost leaves out what stands in `standing_elsewhere`. */
  constructor(private readonly replay: Replay, group: THREE.Group, ghost: boolean, standing_elsewhere: Set<string>) {
    // numbers along a curve count if there is one per point
    const radius_of = (body: Body | undefined, count: number) =>
      replay.fields.find((f) => f.kind === 'profile' && f.body === body?.name && own_name(f) === 'radius' && f.count === count) ?? null;
    for (const field of replay.fields.filter((f) => f.kind === 'polyline')) {
      const body = replay.bodies.find((b) => b.name === field.body);
      const count = Math.floor(field.count / 3);
      const radius = radius_of(body, count);
      const tube = new Tube(body, body?.name ?? field.name, count, radius, ghost, false);
      this.moving.push({ tube, field, radius, width: body?.shape === 'tube' ? (body.size[0] ?? 0) : 0 });
      group.add(tube.object);
    }
    for (const body of replay.bodies) {
      if (!body.points || this.moving.some((m) => m.tube.body === body)) continue;
      const still = JSON.stringify([body.shape, body.size, [...body.points]]);
      if (ghost && standing_elsewhere.has(still)) continue;
      standing_elsewhere.add(still);
      const count = body.points.length / 3;
      const tube = new Tube(body, body.name, count, radius_of(body, count), ghost, true);
      tube.update(body.points, 0, replay.values, 0);
      this.standing.push(tube);
      group.add(tube.object);
    }
    this.set_frame(0);
  }

  get names(): string[] {
    return [...this.moving.map((m) => m.tube.name), ...this.standing.map((t) => t.name)];
  }

  set_frame(frame: number): void {
    const { values, width } = this.replay;
    for (const { tube, field } of this.moving) tube.update(values, frame * width + field.offset, values, frame * width);
    for (const tube of this.standing) if (tube.radius_field) tube.update(tube.body!.points!, 0, values, frame * width);
  }

  /** Colours curves by their numbers, in a frame, over `range`; those without have their own colour. */
  set_colours(fields: Field[], range: number, frame: number): void {
    const { values, width } = this.replay;
    for (const tube of [...this.moving.map((m) => m.tube), ...this.standing]) {
      const field = fields.find((f) => f.body === tube.body?.name && f.count === tube.count);
      tube.colour(field ? (i) => values[frame * width + field.offset + i]! / range : null);
    }
  }

  set_palette(palette: Palette): void {
    for (const tube of this.standing) tube.set_own(standing_colour(tube.body!.colour, palette));
  }

  /** Curves that stand in the plane z = `from` are drawn on the floor at `to`. How high over it they reach. */
  lower(from: number, to: number): number {
    let top = 0;
    for (const tube of this.standing) {
      let flat = true, radius = 0;
      tube.each_point((v, at, r) => {
        flat &&= v[at + 2] === from;
        radius = Math.max(radius, r);
      });
      if (flat) top = Math.max(top, tube.lay_down(to - from, radius));
    }
    return top;
  }

  /** Calls with every point of the curves that move, in a frame, and the radius there. */
  each_moving(frame: number, act: (values: ArrayLike<number>, at: number, radius: number) => void): void {
    const { values, width } = this.replay;
    for (const { tube, field, radius, width: usual } of this.moving) {
      for (let i = 0; i < tube.count; ++i) act(values, frame * width + field.offset + 3 * i, radius ? values[frame * width + radius.offset + i]! : usual);
    }
  }

  /** The same for curves that stand. */
  each_standing(act: (values: ArrayLike<number>, at: number, radius: number) => void): void {
    for (const tube of this.standing) tube.each_point(act);
  }

  drawn(): TubeView[] {
    return [...this.moving.map((m) => m.tube), ...this.standing].map((tube) => tube.drawn());
  }
}
