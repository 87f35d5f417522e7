// The scene: bodies, ground, trails, forces and cameras. World axes are the replay's: z is up, metres.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

import type { CameraName } from './address.ts';
import { body_axis, find_links, fit_joint, type Body, type Field, type Replay, type Vectors } from './replay.ts';

/** The browser cannot draw the scene; the rest of the page works. */
export class NoPictureError extends Error {}

export interface Palette {
  page: string;
  grid: string;
  ground: string;
  obstacle: string;
  force: string;
  vector: string;
}

export const light: Palette = { page: '#f6f7f8', grid: '#9aa5af', ground: '#f6f7f8', obstacle: '#8d959d', force: '#b87512', vector: '#6a4fb3' };
export const dark: Palette = { page: '#14171a', grid: '#56616b', ground: '#14171a', obstacle: '#7d868f', force: '#e0a33a', vector: '#a893ea' };

/** 1, 2 or 5 times a power of ten, not above x. */
export function round_down(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/** Tenths of a grid's cell are drawn when they are this wide, in pixels. */
export const tenth_pixels = 30;

/** Blue over grey to red for s in -1 … 1. */
export function diverging(s: number, to: THREE.Color): THREE.Color {
  const x = Math.max(-1, Math.min(1, Number.isFinite(s) ? s : 0));
  const grey = [0.86, 0.86, 0.86], end = x < 0 ? [0.13, 0.4, 0.82] : [0.8, 0.16, 0.14];
  const w = Math.abs(x) ** 0.8;
  const mix = (i: number) => grey[i]! + (end[i]! - grey[i]!) * w;
  return to.setRGB(mix(0), mix(1), mix(2), THREE.SRGBColorSpace);
}

// One geometry per shape and size; the long axis of capsules and tubes is the body's x, of cylinders z, of wheels y.
function make_geometry(shape: string, size: number[], circle_height: number): THREE.BufferGeometry | null {
  const [a = 0.05, b = 0.05, c = 0.05] = size;
  switch (shape) {
    case 'capsule':
      return new THREE.CapsuleGeometry(a, 2 * b, 8, 20).rotateZ(-Math.PI / 2);
    case 'sphere':
      return new THREE.SphereGeometry(a, 24, 16);
    case 'cylinder':
      return new THREE.CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2);
    case 'circle': // of a planar model: as high as the robot
      return new THREE.CylinderGeometry(a, a, circle_height, 32).rotateX(Math.PI / 2);
    case 'box':
      return new THREE.BoxGeometry(a, b, c);
    case 'tube':
      return size.length > 1 ? new THREE.CylinderGeometry(a, a, b, 20).rotateZ(-Math.PI / 2) : null;
    case 'wheel':
      return new THREE.CylinderGeometry(a, a, b, 28);
    default:
      return null;
  }
}

const one = new THREE.Vector3(1, 1, 1);

interface Slot {
  mesh: THREE.InstancedMesh;
  index: number;
}

interface Moving {
  body: Body;
  field: Field;
  slot: Slot | null;
}

interface Joint {
  first: Field;
  second: Field;
  a: number;
  b: number;
}

interface Trail {
  line: Line2;
  material: LineMaterial;
  frames: number[]; // of its points
}

/** An arrow as drawn. */
interface ArrowView {
  base: number[];
  tip: number[];
}

/** What is drawn of a run, read back from the meshes. */
export interface ActorView {
  frame: number;
  visible: boolean;
  links: { name: string; colour: string }[];
  rings: { position: number[]; colour: string }[]; // at joints, when they are coloured
  forces: ArrowView[];
  vectors: ArrowView[];
  trails: { name: string; start: number[]; end: number[] }[];
}

/** The value below which nine in ten of those above zero lie; 0 when there are none. */
function typical(sizes: number[]): number {
  const sorted = sizes.filter((x) => x > 0 && Number.isFinite(x)).sort((p, q) => p - q);
  return sorted[Math.floor(0.9 * sorted.length)] ?? 0;
}

/** Arrows over the bodies, since what they show acts inside them. */
class Arrows {
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly material: THREE.MeshBasicMaterial;
  private used = 0;
  private readonly up = new THREE.Vector3(0, 1, 0);
  private readonly matrix = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly direction = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly scale = new THREE.Vector3();

  constructor(group: THREE.Group, private readonly most: number, opacity: number) {
    this.material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity });
    this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), this.material, Math.max(1, most));
    this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 14).translate(0, -0.5, 0), this.material, Math.max(1, most));
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      group.add(mesh);
    }
    this.end();
  }

  set colour(colour: string) {
    this.material.color.set(colour);
  }

  begin(): void {
    this.used = 0;
  }

  /** The vector at `f` in values, drawn from the point at `p`; `scale` metres a unit, `thick` metres in radius. */
  add(values: ArrayLike<number>, p: number, f: number, axes: number, scale: number, thick: number): void {
    this.direction.set(values[f]!, axes > 1 ? values[f + 1]! : 0, axes > 2 ? values[f + 2]! : 0);
    this.position.set(values[p]!, values[p + 1]!, values[p + 2]!);
    const length = this.direction.length() * scale;
    const { x, y, z } = this.position;
    if (this.used === this.most || !(length > 1e-4 * thick) || !Number.isFinite(length + x + y + z)) return;
    this.rotation.setFromUnitVectors(this.up, this.direction.normalize());
    const head = Math.min(6 * thick, 0.6 * length);
    this.shafts.setMatrixAt(this.used, this.matrix.compose(this.position, this.rotation, this.scale.set(thick, length - head, thick)));
    this.position.addScaledVector(this.direction, length);
    this.heads.setMatrixAt(this.used, this.matrix.compose(this.position, this.rotation, this.scale.set(0.42 * head, head, 0.42 * head)));
    ++this.used;
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.used;
      mesh.visible = this.used > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** The arrows, from the matrices of shafts and heads. */
  drawn(): ArrowView[] {
    const place = (mesh: THREE.InstancedMesh, i: number) => {
      mesh.getMatrixAt(i, this.matrix);
      return this.position.setFromMatrixPosition(this.matrix).toArray();
    };
    return [...Array(this.shafts.visible ? this.shafts.count : 0).keys()].map((i) => ({ base: place(this.shafts, i), tip: place(this.heads, i) }));
  }
}

/** A curve through points that move: a tube when it has a radius, else a line three pixels wide. */
class Curve {
  readonly object: THREE.Object3D;
  private readonly line: Line2 | null = null;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly sides = 12;

  constructor(readonly field: Field, readonly points: number, readonly radius: number, colour: string, material: THREE.MeshPhongMaterial) {
    if (radius > 0) {
      const { sides } = this;
      this.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * sides * points), 3));
      this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * sides * points), 3));
      const corners: number[] = [];
      for (let i = 0; i + 1 < points; ++i) {
        for (let j = 0; j < sides; ++j) {
          const a = i * sides + j, b = i * sides + ((j + 1) % sides);
          corners.push(a, b, a + sides, b, b + sides, a + sides);
        }
      }
      this.geometry.setIndex(corners);
      material.color.set(colour);
      material.side = THREE.DoubleSide;
      this.object = new THREE.Mesh(this.geometry, material);
      this.object.castShadow = this.object.receiveShadow = !material.transparent;
    } else {
      this.line = new Line2(new LineGeometry(), new LineMaterial({ color: colour, linewidth: 3, transparent: material.transparent, opacity: material.opacity }));
      this.line.geometry.setPositions(new Float32Array(3 * points));
      this.object = this.line;
    }
    this.object.frustumCulled = false;
  }

  update(values: Float32Array, at: number): void {
    const { points, sides, radius } = this;
    const p = values.subarray(at, at + 3 * points);
    this.object.visible = points > 1 && p.every(Number.isFinite);
    if (!this.object.visible) return;
    if (this.line) {
      const { data } = this.line.geometry.getAttribute('instanceStart') as THREE.InterleavedBufferAttribute;
      for (let i = 0; i + 1 < points; ++i) data.array.set(p.subarray(3 * i, 3 * i + 6), 6 * i);
      data.needsUpdate = true;
      return;
    }
    // rings around the curve, carried from point to point without twist
    const position = this.geometry.getAttribute('position') as THREE.BufferAttribute;
    const normal = this.geometry.getAttribute('normal') as THREE.BufferAttribute;
    const tangent = new THREE.Vector3(), before = new THREE.Vector3(), u = new THREE.Vector3(), v = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    for (let i = 0; i < points; ++i) {
      const a = 3 * Math.max(0, i - 1), b = 3 * Math.min(points - 1, i + 1);
      tangent.set(p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!);
      if (tangent.lengthSq() > 0) tangent.normalize();
      else tangent.copy(i > 0 ? before : tangent.set(1, 0, 0));
      if (i === 0) {
        u.set(0, 0, 1).addScaledVector(tangent, -tangent.z);
        if (u.lengthSq() > 1e-6) u.normalize();
        else u.set(1, 0, 0);
      } else u.applyQuaternion(turn.setFromUnitVectors(before, tangent));
      v.crossVectors(tangent, u);
      before.copy(tangent);
      for (let j = 0; j < sides; ++j) {
        const c = Math.cos((2 * Math.PI * j) / sides), s = Math.sin((2 * Math.PI * j) / sides);
        const x = c * u.x + s * v.x, y = c * u.y + s * v.y, z = c * u.z + s * v.z;
        normal.setXYZ(i * sides + j, x, y, z);
        position.setXYZ(i * sides + j, p[3 * i]! + radius * x, p[3 * i + 1]! + radius * y, p[3 * i + 2]! + radius * z);
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  }
}

/** One run in the scene. */
class Actor {
  readonly group = new THREE.Group();
  readonly moving: Moving[] = [];
  readonly standing = new Map<string, Slot>();
  readonly links: Moving[];
  readonly joints: (Joint | null)[] = [];
  private readonly rings: THREE.InstancedMesh | null = null;
  readonly forces: Arrows;
  readonly vectors: Arrows;
  private readonly poses: Map<string, Field>;
  private readonly contacts: Field[];
  readonly curves: Curve[] = [];
  private readonly trails = new Map<string, Trail>();
  readonly force_typical: number; // N: nine in ten of the contact forces of the run are below it
  frame = 0;
  private readonly matrix = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly scale = new THREE.Vector3();
  private readonly colour = new THREE.Color();
  private readonly obstacles: { slot: Slot; colour: string }[] = [];

  constructor(readonly replay: Replay, readonly ghost: boolean, standing_elsewhere: Set<string>) {
    const poses = (this.poses = new Map(replay.fields.filter((f) => f.kind === 'pose' && f.body !== null).map((f) => [f.body!, f])));
    const radius = Math.max(0, ...replay.bodies.filter((b) => poses.has(b.name)).map((b) => b.size[0] ?? 0));
    const circle_height = 2.1 * (radius || 0.05);

    // bodies of the same shape and size are instances of one mesh
    const kinds = new Map<string, { body: Body; field: Field | undefined }[]>();
    for (const body of replay.bodies) {
      const field = poses.get(body.name);
      if (!field && !body.pose) continue;
      const still = JSON.stringify([body.shape, body.size, body.pose && [...body.pose]]);
      if (!field && body.shape !== 'plane') {
        if (ghost && standing_elsewhere.has(still)) continue;
        standing_elsewhere.add(still);
      }
      const kind = JSON.stringify([body.shape, body.size, field !== undefined]);
      kinds.set(kind, [...(kinds.get(kind) ?? []), { body, field }]);
    }
    for (const members of kinds.values()) {
      const { body: sample, field: moves } = members[0]!;
      const geometry = make_geometry(sample.shape, sample.size, circle_height);
      const mesh = geometry && new THREE.InstancedMesh(geometry, this.material(), members.length);
      if (mesh) {
        mesh.frustumCulled = false;
        mesh.castShadow = !ghost;
        mesh.receiveShadow = !ghost;
        this.group.add(mesh);
        if (ghost) {
          // depth first, so that overlapping bodies of a ghost do not show through each other
          const depth = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ colorWrite: false, transparent: true }), members.length);
          depth.instanceMatrix = mesh.instanceMatrix;
          depth.frustumCulled = false;
          depth.renderOrder = 1;
          mesh.renderOrder = 2;
          this.group.add(depth);
        }
      }
      members.forEach(({ body, field }, index) => {
        const slot = mesh && { mesh, index };
        if (field) this.moving.push({ body, field, slot });
        if (!slot) return;
        mesh.setColorAt(index, this.colour.set(body.colour));
        if (!moves && body.pose) {
          this.place(body.pose, 0);
          mesh.setMatrixAt(index, this.matrix);
          this.standing.set(body.name, slot);
          this.obstacles.push({ slot, colour: body.colour });
        }
      });
    }
    const order = new Map(replay.bodies.map((b, i) => [b.name, i]));
    this.moving.sort((p, q) => order.get(p.body.name)! - order.get(q.body.name)!);
    const links = new Set(find_links(replay).map((b) => b.name));
    this.links = this.moving.filter((m) => links.has(m.body.name));

    for (let i = 0; i + 1 < this.links.length; ++i) {
      const first = this.links[i]!.field, second = this.links[i + 1]!.field;
      const fit = fit_joint(replay, first, second);
      this.joints.push(fit && { first, second, ...fit });
    }
    if (this.joints.some(Boolean)) {
      const r = radius || 0.03;
      this.rings = new THREE.InstancedMesh(new THREE.TorusGeometry(1.01 * r, 0.13 * r, 10, 36).rotateY(Math.PI / 2), this.material(), this.joints.length);
      this.rings.frustumCulled = false;
      this.rings.visible = false;
      this.group.add(this.rings);
    }

    this.contacts = replay.fields.filter((f) => f.kind === 'contact');
    this.forces = new Arrows(this.group, this.contacts.reduce((n, f) => n + f.count / 6, 0), ghost ? 0.45 : 0.95);
    this.vectors = new Arrows(this.group, replay.fields.filter((f) => f.kind === 'vector').length, ghost ? 0.45 : 0.95);
    const forces: number[] = [];
    const { values, width } = replay;
    const stride = Math.max(1, Math.floor(replay.frames / 1000));
    for (const field of this.contacts) {
      for (let k = 0; k < replay.frames; k += stride) {
        for (let s = 3; s < field.count; s += 6) {
          const at = k * width + field.offset + s;
          const f = Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!);
          forces.push(f);
        }
      }
    }
    this.force_typical = typical(forces);

    for (const field of replay.fields.filter((f) => f.kind === 'polyline')) {
      const body = replay.bodies.find((b) => b.name === field.body);
      const radius = body?.shape === 'tube' ? (body.size[0] ?? 0) : 0;
      const curve = new Curve(field, Math.floor(field.count / 3), radius, body?.colour ?? '#0072b2', this.material());
      this.curves.push(curve);
      this.group.add(curve.object);
    }
    this.set_frame(0);
  }

  private material(): THREE.MeshPhongMaterial {
    return new THREE.MeshPhongMaterial({ color: '#ffffff', specular: '#1c1c1c', shininess: 25, transparent: this.ghost, opacity: this.ghost ? 0.32 : 1, depthWrite: !this.ghost });
  }

  private place(v: ArrayLike<number>, at: number): void {
    this.position.set(v[at]!, v[at + 1]!, v[at + 2]!);
    this.rotation.set(v[at + 4]!, v[at + 5]!, v[at + 6]!, v[at + 3]!);
    this.matrix.compose(this.position, this.rotation, one);
    // a body whose pose is unknown is not drawn
    if (!this.matrix.elements.every(Number.isFinite)) this.matrix.makeScale(0, 0, 0);
  }

  set_frame(frame: number): void {
    this.frame = frame;
    const { values, width } = this.replay;
    const start = frame * width;
    const touched = new Set<THREE.InstancedMesh>();
    for (const { field, slot } of this.moving) {
      if (!slot) continue;
      this.place(values, start + field.offset);
      slot.mesh.setMatrixAt(slot.index, this.matrix);
      touched.add(slot.mesh);
    }
    for (const mesh of touched) mesh.instanceMatrix.needsUpdate = true;
    if (this.rings?.visible) this.place_rings();
    for (const curve of this.curves) curve.update(values, start + curve.field.offset);
    for (const trail of this.trails.values()) {
      let end = 0;
      while (end + 1 < trail.frames.length && trail.frames[end + 1]! <= frame) ++end;
      trail.line.geometry.instanceCount = end;
    }
  }

  private place_rings(): void {
    const { values, width } = this.replay;
    const start = this.frame * width;
    this.joints.forEach((joint, i) => {
      if (!joint) {
        this.rings!.setMatrixAt(i, this.matrix.makeScale(0, 0, 0));
        return;
      }
      const at = start + joint.first.offset;
      const e1 = body_axis(values, at), e2 = body_axis(values, start + joint.second.offset);
      const axis = new THREE.Vector3(e1[0] + e2[0], e1[1] + e2[1], e1[2] + e2[2]).normalize();
      this.position.set(values[at]! + joint.a * e1[0], values[at + 1]! + joint.a * e1[1], values[at + 2]! + joint.a * e1[2]);
      this.rotation.setFromUnitVectors(new THREE.Vector3(1, 0, 0), axis);
      this.rings!.setMatrixAt(i, this.matrix.compose(this.position, this.rotation, one));
    });
    this.rings!.instanceMatrix.needsUpdate = true;
  }

  /** Colours links or joints by values in -1 … 1; null gives the bodies their own colours. */
  set_colours(on: 'links' | 'joints' | null, value: (i: number) => number): void {
    if (this.rings) {
      this.rings.visible = on === 'joints';
      if (on === 'joints') {
        this.joints.forEach((_, i) => this.rings!.setColorAt(i, diverging(value(i), this.colour)));
        this.rings.instanceColor!.needsUpdate = true;
        this.place_rings();
      }
    }
    this.links.forEach(({ body, slot }, i) => {
      if (!slot) return;
      slot.mesh.setColorAt(slot.index, on === 'links' ? diverging(value(i), this.colour) : this.colour.set(body.colour));
      slot.mesh.instanceColor!.needsUpdate = true;
    });
  }

  set_palette(palette: Palette): void {
    for (const { slot, colour } of this.obstacles) {
      // plain greys take the theme's grey
      const grey = /^#(..)\1\1$/.test(colour);
      slot.mesh.setColorAt(slot.index, this.colour.set(grey ? palette.obstacle : colour));
      slot.mesh.instanceColor!.needsUpdate = true;
    }
    this.forces.colour = palette.force;
    this.vectors.colour = palette.vector;
  }

  /** Arrows of `metres_per_newton`, `thick` metres in radius; none when the scale is 0. */
  set_forces(metres_per_newton: number, thick: number): void {
    const { values, width } = this.replay;
    this.forces.begin();
    for (const field of metres_per_newton > 0 ? this.contacts : []) {
      for (let s = 0; s < field.count; s += 6) {
        const at = this.frame * width + field.offset + s;
        this.forces.add(values, at, at + 3, 3, metres_per_newton, thick);
      }
    }
    this.forces.end();
  }

  /** Vectors of one quantity, each from the middle of its body, in world axes; none when the scale is 0. */
  set_vectors(vectors: Vectors | undefined, scale: number, thick: number): void {
    const { values, width } = this.replay;
    const start = this.frame * width;
    this.vectors.begin();
    for (const field of scale > 0 ? (vectors?.fields ?? []) : []) {
      const pose = this.poses.get(field.body ?? '');
      const body = this.replay.bodies.find((b) => b.name === field.body);
      if (pose) this.vectors.add(values, start + pose.offset, start + field.offset, field.count, scale, thick);
      else if (body?.pose) this.vectors.add([...body.pose.subarray(0, 3), ...values.subarray(start + field.offset, start + field.offset + field.count)], 0, 3, field.count, scale, thick);
    }
    this.vectors.end();
  }

  /** A large value of a quantity in this run: nine in ten are below it. */
  vector_typical(vectors: Vectors | undefined): number {
    const { values, width, frames } = this.replay;
    const sizes: number[] = [];
    for (const field of vectors?.fields ?? []) {
      for (let k = 0; k < frames; k += Math.max(1, Math.floor(frames / 1000))) {
        sizes.push(Math.hypot(...values.subarray(k * width + field.offset, k * width + field.offset + Math.min(3, field.count))));
      }
    }
    return typical(sizes);
  }

  set_trails(names: Set<string>, z: number): void {
    for (const [name, trail] of this.trails) {
      if (names.has(name)) continue;
      this.group.remove(trail.line);
      trail.line.geometry.dispose();
      trail.material.dispose();
      this.trails.delete(name);
    }
    const { values, width, frames } = this.replay;
    for (const { body, field } of this.moving) {
      if (!names.has(body.name) || this.trails.has(body.name) || frames < 2) continue;
      const points = Math.min(frames, 2000);
      const kept: number[] = [];
      const positions: number[] = [];
      for (let i = 0; i < points; ++i) {
        const frame = Math.round((i * (frames - 1)) / (points - 1));
        const at = frame * width + field.offset;
        if (!Number.isFinite(values[at]! + values[at + 1]! + values[at + 2]!)) continue;
        kept.push(frame);
        positions.push(values[at]!, values[at + 1]!, values[at + 2]! + z);
      }
      if (kept.length < 2) continue;
      const geometry = new LineGeometry();
      geometry.setPositions(positions);
      const material = new LineMaterial({ color: body.colour, linewidth: 2, transparent: true, opacity: this.ghost ? 0.4 : 0.9, dashed: false });
      const line = new Line2(geometry, material);
      line.frustumCulled = false;
      this.group.add(line);
      this.trails.set(body.name, { line, material, frames: kept });
    }
    this.set_frame(this.frame);
  }

  pose_of(name: string): number[] | null {
    const slot = this.standing.get(name) ?? this.moving.find((m) => m.body.name === name)?.slot;
    if (!slot) return null;
    slot.mesh.getMatrixAt(slot.index, this.matrix);
    this.matrix.decompose(this.position, this.rotation, this.scale);
    return [...this.position.toArray(), this.rotation.w, this.rotation.x, this.rotation.y, this.rotation.z];
  }

  drawn(): ActorView {
    const colour_of = (mesh: THREE.InstancedMesh, i: number) => {
      mesh.getColorAt(i, this.colour);
      return `#${this.colour.getHexString(THREE.SRGBColorSpace)}`;
    };
    const { rings } = this;
    return {
      frame: this.frame,
      visible: this.group.visible,
      links: this.links.flatMap(({ body, slot }) => (slot ? [{ name: body.name, colour: colour_of(slot.mesh, slot.index) }] : [])),
      rings: rings?.visible
        ? this.joints.map((_, i) => {
          rings.getMatrixAt(i, this.matrix);
          return { position: this.position.setFromMatrixPosition(this.matrix).toArray(), colour: colour_of(rings, i) };
        })
        : [],
      forces: this.forces.drawn(),
      vectors: this.vectors.drawn(),
      trails: [...this.trails].map(([name, { line }]) => {
        // segments of six numbers, as many as are drawn
        const { array } = (line.geometry.getAttribute('instanceStart') as THREE.InterleavedBufferAttribute).data;
        const last = Math.max(0, line.geometry.instanceCount - 1);
        return { name, start: [...array.slice(0, 3)], end: [...array.slice(6 * last + 3, 6 * last + 6)] };
      }),
    };
  }

  /** Calls with the place in `values` of every moving point of a frame, and the size of what is there. */
  each_point(frame: number, act: (at: number, size: number[]) => void): void {
    const start = frame * this.replay.width;
    for (const { body, field } of this.moving) act(start + field.offset, body.size);
    for (const { field, points, radius } of this.curves) {
      for (let i = 0; i < points; ++i) act(start + field.offset + 3 * i, [radius]);
    }
  }

  /** Mean of the moving points at a frame; unchanged when none is known. */
  centre(frame: number, to: THREE.Vector3): THREE.Vector3 {
    const sum = new THREE.Vector3(), point = new THREE.Vector3();
    let n = 0;
    this.each_point(frame, (at) => {
      point.fromArray(this.replay.values, at);
      if (!Number.isFinite(point.x + point.y + point.z)) return;
      sum.add(point);
      ++n;
    });
    return n > 0 ? to.copy(sum).divideScalar(n) : to;
  }
}

const grid_shader = {
  vertex: `varying vec2 p; void main() { vec4 w = modelMatrix * vec4(position, 1.0); p = position.xy; gl_Position = projectionMatrix * viewMatrix * w; }`,
  fragment: `uniform vec3 colour; uniform vec3 ground; uniform float cell; uniform float reach; uniform vec2 middle; varying vec2 p;
    float lines(float size) { vec2 q = p / size; vec2 w = max(fwidth(q), 1e-6); vec2 d = abs(fract(q - 0.5) - 0.5) / w;
      float crowd = clamp(1.0 - 2.0 * max(w.x, w.y), 0.0, 1.0); return crowd * (1.0 - min(min(d.x, d.y), 1.0)); }
    void main() { float far = 1.0 - smoothstep(0.45 * reach, reach, length(p - middle));
      vec2 w = 10.0 * fwidth(p / cell); // tenths of cells from 20 pixels on
      float tenth = smoothstep(0.05, 0.025, max(w.x, w.y)) * lines(cell * 0.1);
      float a = max(0.18 * tenth, max(0.28 * lines(cell), 0.6 * lines(cell * 10.0))) * far;
      gl_FragColor = vec4(mix(ground, colour, a), 1.0);
      #include <colorspace_fragment>
    }`,
};

/** Whether WebGL is drawn by the processor. Throws when there is none. */
function is_software(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) throw new NoPictureError('no WebGL 2');
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class SceneView {
  readonly renderer: THREE.WebGLRenderer;
  readonly software: boolean;
  readonly actors: Actor[];
  readonly cell: number; // m, of the grid
  readonly bounds = new THREE.Box3(); // of everything in all frames
  readonly ground_z: number;
  private readonly scene = new THREE.Scene();
  private readonly perspective = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  private controls!: OrbitControls;
  private camera_name: CameraName = 'orbit';
  private readonly followed = new THREE.Vector3();
  private readonly grid: THREE.ShaderMaterial;
  private readonly shade: THREE.Mesh;
  private readonly edge: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly sun = new THREE.DirectionalLight('#ffffff', 2.1);
  private lit = 1; // m, the span with shadows
  private waiting = false;
  private fine_timer = 0;
  private fine = false; // the canvas has twice the pixels
  still = false; // every picture is fine, for one that is saved by a browser without a window
  private shadows = false; // wanted; without a GPU only in the fine picture
  private moved = false; // the camera, since fit()
  private drawn_waiters: (() => void)[] = [];
  on_camera: () => void = () => undefined;
  on_draw: () => void = () => undefined;

  constructor(private readonly canvas: HTMLCanvasElement, replays: Replay[]) {
    this.software = is_software();
    // Without a GPU, smoothing costs half the time of a picture: draw plainly, and finely once nothing moves.
    try {
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, powerPreference: 'high-performance' });
    } catch (error) {
      throw new NoPictureError(String(error));
    }
    canvas.addEventListener('webglcontextrestored', () => this.request());
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.type = THREE.PCFShadowMap;

    const standing = new Set<string>();
    this.actors = replays.map((replay, i) => new Actor(replay, i > 0, standing));
    for (const actor of this.actors) this.scene.add(actor.group);

    let lowest = Infinity;
    const plane = replays[0]!.bodies.find((b) => b.shape === 'plane');
    for (const actor of this.actors) {
      const { values, frames } = actor.replay;
      const stride = Math.max(1, Math.floor(frames / 400));
      const point = new THREE.Vector3();
      const add = (v: ArrayLike<number>, at: number, size: number[]) => {
        point.set(v[at]!, v[at + 1]!, v[at + 2]!);
        if (!Number.isFinite(point.x + point.y + point.z)) return;
        const reach = (size[0] ?? 0) + 0.6 * (size[1] ?? 0);
        this.bounds.expandByPoint(point.clone().addScalar(reach)).expandByPoint(point.clone().addScalar(-reach));
      };
      for (let k = 0; k < frames; k += stride) {
        actor.each_point(k, (at, size) => {
          add(values, at, size);
          const bottom = values[at + 2]! - (size[0] ?? 0);
          if (bottom < lowest) lowest = bottom;
        });
      }
      for (const body of actor.replay.bodies) if (body.pose && body.shape !== 'plane') add(body.pose, 0, body.size);
    }
    if (this.bounds.isEmpty()) this.bounds.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 0.2));
    // A planar model has its links at z = 0, in the plane of the floor: draw the floor under them.
    const plane_z = plane?.pose ? plane.pose[2]! : 0;
    const planar = this.actors.every((a) => a.moving.every(({ field }) => {
      const { values, width, frames } = a.replay;
      for (let k = 0; k < frames; ++k) {
        const z = values[k * width + field.offset + 2]!;
        if (z !== plane_z && !Number.isNaN(z)) return false;
      }
      return true;
    }) && a.curves.length === 0);
    this.ground_z = planar && Number.isFinite(lowest) ? lowest : plane_z;
    this.bounds.min.z = Math.min(this.bounds.min.z, this.ground_z);
    if (planar) this.bounds.min.z = this.ground_z;

    const size = this.bounds.getSize(new THREE.Vector3());
    const span = Math.max(size.x, size.y, size.z);
    this.cell = round_down(span / 12);
    const reach = 3.2 * span;
    const middle = this.bounds.getCenter(new THREE.Vector3());
    this.grid = new THREE.ShaderMaterial({
      vertexShader: grid_shader.vertex,
      fragmentShader: grid_shader.fragment,
      uniforms: { colour: { value: new THREE.Color() }, ground: { value: new THREE.Color() }, cell: { value: this.cell }, reach: { value: reach }, middle: { value: new THREE.Vector2(middle.x, middle.y) } },
    });
    const floor = new THREE.PlaneGeometry(2 * reach, 2 * reach).translate(middle.x, middle.y, 0);
    const ground = new THREE.Group();
    if (plane?.pose) ground.quaternion.set(plane.pose[4]!, plane.pose[5]!, plane.pose[6]!, plane.pose[3]!);
    ground.position.z = this.ground_z - 0.0005 * span;
    const tiles = new THREE.Mesh(floor, this.grid);
    this.shade = new THREE.Mesh(floor, new THREE.ShadowMaterial({ opacity: 0.3 }));
    this.shade.receiveShadow = true;
    this.shade.position.z = 0.0002 * span;
    this.shade.visible = false;
    if (!plane && !planar) tiles.visible = replays.every((r) => r.bodies.length > 0);
    ground.add(tiles, this.shade);
    this.scene.add(ground);
    // from the side the floor is a line
    this.edge = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(middle.x - reach, middle.y, ground.position.z), new THREE.Vector3(middle.x + reach, middle.y, ground.position.z)]),
      new THREE.LineBasicMaterial(),
    );
    this.scene.add(this.edge);

    this.scene.add(new THREE.HemisphereLight('#ffffff', '#8a8f96', 1.5));
    this.sun.shadow.mapSize.setScalar(this.software ? 1024 : 2048);
    this.place_sun(middle, span);
    this.sun.shadow.bias = -0.0005;
    this.scene.add(this.sun, this.sun.target);

    for (const camera of [this.perspective, this.flat]) {
      camera.up.set(0, 0, 1);
      camera.near = 0.005 * span;
      camera.far = 40 * span;
    }
    this.resize();
    this.set_camera('orbit');
    new ResizeObserver(() => {
      this.resize();
      this.draw_now();
    }).observe(canvas.parentElement!);
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.camera_name === 'top' || this.camera_name === 'side' ? this.flat : this.perspective;
  }

  get camera_kind(): CameraName {
    return this.camera_name;
  }

  set_palette(palette: Palette): void {
    this.scene.background = new THREE.Color(palette.page);
    (this.grid.uniforms.colour!.value as THREE.Color).set(palette.grid);
    (this.grid.uniforms.ground!.value as THREE.Color).set(palette.ground);
    this.edge.material.color.set(palette.grid);
    for (const actor of this.actors) actor.set_palette(palette);
    this.request();
  }

  /** Light from the left behind the viewer, with shadows of what lies within 0.75 `span` of `middle`. */
  private place_sun(middle: THREE.Vector3, span: number): void {
    this.sun.position.set(middle.x - 0.5 * span, middle.y - 0.9 * span, middle.z + 1.6 * span);
    this.sun.target.position.copy(middle);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -0.75 * span;
    box.right = box.top = 0.75 * span;
    box.near = 0.1 * span;
    box.far = 5 * span;
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.001 * span;
  }

  set_shadows(on: boolean): void {
    this.shadows = on;
    this.apply_shadows(on && (!this.software || this.fine));
    this.request();
  }

  private apply_shadows(on: boolean): void {
    if (on === this.sun.castShadow) return;
    this.renderer.shadowMap.enabled = on;
    this.sun.castShadow = on;
    this.shade.visible = on;
    this.scene.traverse((object) => {
      const material = (object as THREE.Mesh).material;
      if (material instanceof THREE.Material) material.needsUpdate = true;
    });
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement!;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.perspective.aspect = w / h;
    this.perspective.updateProjectionMatrix();
    const half = (this.flat.top - this.flat.bottom) / 2;
    this.flat.left = (-half * w) / h;
    this.flat.right = (half * w) / h;
    this.flat.updateProjectionMatrix();
    this.request();
  }

  set_camera(name: CameraName): void {
    const had = this.controls?.target.clone();
    this.controls?.dispose();
    this.camera_name = name;
    this.edge.visible = name === 'side';
    const controls = new OrbitControls(this.camera, this.canvas);
    this.controls = controls;
    controls.enableRotate = name === 'orbit' || name === 'follow';
    controls.maxPolarAngle = 0.495 * Math.PI;
    controls.zoomToCursor = name !== 'follow';
    controls.screenSpacePanning = name !== 'orbit' && name !== 'follow';
    if (!controls.enableRotate) {
      controls.maxPolarAngle = Math.PI;
      controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      controls.touches.ONE = THREE.TOUCH.PAN;
    }
    if (had) controls.target.copy(had);
    this.fit();
    controls.addEventListener('change', () => this.request());
    const turned = () => {
      this.moved = true;
      this.on_camera();
    };
    controls.addEventListener('end', turned);
  }

  /** Puts the whole run, or for the following camera the robot now, into the picture. */
  fit(): void {
    const box = this.camera_name === 'follow' ? this.robot_box() : this.bounds;
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const aspect = this.perspective.aspect;
    this.controls.target.copy(middle);
    if (this.camera === this.flat) {
      const top = this.camera_name === 'top';
      const half = 0.56 * Math.max(size.x / aspect, top ? size.y * 1.15 : 3 * size.z, 1e-3);
      this.flat.top = half;
      this.flat.bottom = -half;
      this.flat.left = -half * aspect;
      this.flat.right = half * aspect;
      this.flat.zoom = 1;
      const far = 4 * Math.max(size.x, size.y, size.z);
      // straight down with y up in the picture: a hair's breadth from the pole, where orbiting is defined
      this.flat.position.copy(middle).add(top ? new THREE.Vector3(0, -1e-4 * far, far) : new THREE.Vector3(0, -far, 0));
      this.flat.updateProjectionMatrix();
    } else {
      // along the short side of the run, so that its long side lies across the picture; upright ones see it end on
      const [long, short] = size.x >= size.y ? [size.x, size.y] : [size.y, size.x];
      const follow = this.camera_name === 'follow';
      const turn = aspect > 0.9 ? (long > 2.5 * short ? -0.16 : -0.28) : -0.75;
      const direction = new THREE.Vector3(turn, -1, follow ? 0.95 : 0.72).normalize();
      if (size.y > 1.3 * size.x) direction.set(-direction.y, direction.x, direction.z);
      const tan = Math.tan(THREE.MathUtils.degToRad(this.perspective.fov / 2));
      const right = new THREE.Vector3().crossVectors(this.perspective.up, direction).normalize();
      const up = new THREE.Vector3().crossVectors(direction, right);
      // the nearest place from which every corner is inside, then the middle of what is seen into the middle
      let distance = 0;
      for (let pass = 0; pass < 4; ++pass) {
        distance = 0;
        let [left, most, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
        const corners = [...Array(8).keys()].map((c) => new THREE.Vector3(c & 1 ? box.max.x : box.min.x, c & 2 ? box.max.y : box.min.y, c & 4 ? box.max.z : box.min.z).sub(middle));
        for (const corner of corners) {
          const near = corner.dot(direction);
          distance = Math.max(distance, near + Math.abs(corner.dot(right)) / (tan * aspect), near + Math.abs(corner.dot(up)) / tan);
        }
        for (const corner of corners) {
          const away = distance - corner.dot(direction);
          left = Math.min(left, corner.dot(right) / away);
          most = Math.max(most, corner.dot(right) / away);
          low = Math.min(low, corner.dot(up) / away);
          high = Math.max(high, corner.dot(up) / away);
        }
        middle.addScaledVector(right, (distance * (left + most)) / 2).addScaledVector(up, (distance * (low + high)) / 2);
      }
      this.controls.target.copy(middle);
      this.perspective.position.copy(middle).addScaledVector(direction, distance * (follow ? 1.3 : 1.1));
    }
    this.actors[0]!.centre(this.actors[0]!.frame, this.followed);
    const whole = this.bounds.getSize(new THREE.Vector3());
    const near = this.camera_name === 'follow' ? box.getSize(new THREE.Vector3()).multiplyScalar(2) : whole;
    this.lit = Math.min(Math.max(near.x, near.y, near.z), Math.max(whole.x, whole.y, whole.z));
    this.place_sun(box.getCenter(new THREE.Vector3()), this.lit);
    this.moved = false;
    this.controls.update();
    this.request();
  }

  /** Whether the run is much longer than the robot, which would be small in a picture of the whole. */
  get travels(): boolean {
    const longest = (box: THREE.Box3) => Math.max(...box.getSize(new THREE.Vector3()).toArray());
    return longest(this.bounds) > 2 * longest(this.robot_box());
  }

  private robot_box(): THREE.Box3 {
    const box = new THREE.Box3();
    const actor = this.actors[0]!;
    const point = new THREE.Vector3();
    actor.each_point(actor.frame, (at, size) => {
      point.fromArray(actor.replay.values, at);
      if (!Number.isFinite(point.x + point.y + point.z)) return;
      const reach = (size[0] ?? 0) + (size[1] ?? 0);
      box.expandByPoint(point.clone().addScalar(reach)).expandByPoint(point.addScalar(-reach));
    });
    return box.isEmpty() ? this.bounds.clone() : box;
  }

  /** Target, camera relative to it, and zoom as one list, for the address; null where fit() left them. */
  get view(): number[] | null {
    if (!this.moved) return null;
    const { target } = this.controls;
    return [...target.toArray(), ...this.camera.position.clone().sub(target).toArray(), this.camera.zoom];
  }

  set view(view: number[] | null) {
    if (view === null || view.length !== 7 || !view.every(Number.isFinite) || view[6]! <= 0) return;
    this.controls.target.set(view[0]!, view[1]!, view[2]!);
    this.camera.position.set(view[3]!, view[4]!, view[5]!).add(this.controls.target);
    this.moved = true;
    this.camera.zoom = view[6]!;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.request();
  }

  set_frame(actor: number, frame: number): void {
    const a = this.actors[actor]!;
    a.set_frame(frame);
    if (actor === 0 && this.camera_name === 'follow') {
      const now = a.centre(frame, new THREE.Vector3());
      const step = now.clone().sub(this.followed);
      this.followed.copy(now);
      this.camera.position.add(step);
      this.controls.target.add(step);
      this.place_sun(now, this.lit);
      this.moved = true;
      this.controls.update();
    }
    this.request();
  }

  get target(): number[] {
    return this.controls.target.toArray();
  }

  /** Where a point of the world is in the picture, in CSS pixels from its top left. */
  project(x: number, y: number, z: number): number[] {
    this.camera.updateMatrixWorld();
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [((p.x + 1) / 2) * this.canvas.clientWidth, ((1 - p.y) / 2) * this.canvas.clientHeight];
  }

  /** Pixels of a metre at the camera's target. */
  pixels_per_metre(): number {
    const h = this.canvas.clientHeight;
    if (this.camera === this.flat) return (h * this.flat.zoom) / (this.flat.top - this.flat.bottom);
    const distance = this.perspective.position.distanceTo(this.controls.target);
    return (h * this.perspective.zoom) / (2 * distance * Math.tan(THREE.MathUtils.degToRad(this.perspective.fov / 2)));
  }

  request(): void {
    if (this.waiting) return;
    this.waiting = true;
    clearTimeout(this.fine_timer);
    requestAnimationFrame(() => {
      this.waiting = false;
      this.set_fine(false);
      this.draw_now();
      if (this.software) this.fine_timer = window.setTimeout(() => this.draw_finely(), 500);
    });
  }

  private set_fine(wanted: boolean): void {
    if (!this.software) return;
    const on = wanted || this.still;
    this.apply_shadows(on && this.shadows);
    if (on === this.fine) return;
    this.fine = on;
    this.renderer.setPixelRatio(on ? 2 : 1);
  }

  /** With shadows, and twice the pixels each way, which the browser averages. */
  private draw_finely(): void {
    if (this.waiting) return;
    this.set_fine(true);
    this.draw_now();
  }

  private draw_now(): void {
    this.renderer.render(this.scene, this.camera);
    this.on_draw();
    if (this.drawn_waiters.length > 0) {
      const gl = this.renderer.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the picture
      for (const tell of this.drawn_waiters.splice(0)) tell();
    }
  }

  /** Resolves when the next picture is finished. */
  drawn(): Promise<void> {
    return new Promise((resolve) => this.drawn_waiters.push(resolve));
  }

  pixels(): { width: number; height: number; data: Uint8Array } {
    this.set_fine(false);
    this.apply_shadows(this.shadows);
    this.renderer.render(this.scene, this.camera);
    const gl = this.renderer.getContext();
    const width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const data = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
    return { width, height, data };
  }

  /** The canvas just after drawing, for a picture. */
  picture(): HTMLCanvasElement {
    this.set_fine(true);
    this.renderer.render(this.scene, this.camera);
    return this.canvas;
  }
}
