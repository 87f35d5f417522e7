// Arrows over the bodies, since what they show acts inside them.

import * as THREE from 'three';

import type { Vectors } from '../replay/channels.ts';
import { family_of, type Family, type Field, type Replay } from '../replay/format.ts';
import { find_poses } from '../replay/structure.ts';

/** An arrow as drawn. */
export interface ArrowView {
  base: number[];
  tip: number[];
}

/** The value below which nine in ten of those above zero lie; 0 when there are none. */
function typical(sizes: number[]): number {
  const sorted = sizes.filter((x) => x > 0 && Number.isFinite(x)).sort((p, q) => p - q);
  return sorted[Math.floor(0.9 * sorted.length)] ?? 0;
}

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

  get colour(): string {
    return `#${this.material.color.getHexString(THREE.SRGBColorSpace)}`;
  }

  begin(): void {
    this.used = 0;
  }

  /** The vector at `f` in values, drawn from the point at `p`; `scale` metres per unit, `thick` metres in radius. */
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

const opacity = (ghost: boolean) => (ghost ? 0.45 : 0.95);

/** Arrows of one family: forces at contacts. */
export class Forces {
  private readonly arrows: Arrows;
  private readonly fields: Field[];
  readonly typical: number; // N: nine in ten of the forces of the run are below it

  constructor(private readonly replay: Replay, readonly family: Family, group: THREE.Group, ghost: boolean) {
    this.fields = replay.fields.filter((f) => f.kind === 'contact' && family_of(f) === family.name);
    this.arrows = new Arrows(group, this.fields.reduce((n, f) => n + f.count / 6, 0), opacity(ghost));
    const { values, width } = replay;
    const sizes: number[] = [];
    const stride = Math.max(1, Math.floor(replay.frames / 1000));
    for (const field of this.fields) {
      for (let k = 0; k < replay.frames; k += stride) {
        for (let s = 3; s < field.count; s += 6) {
          const at = k * width + field.offset + s;
          sizes.push(Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!));
        }
      }
    }
    this.typical = typical(sizes);
  }

  set_colour(usual: string): void {
    this.arrows.colour = this.family.colour ?? usual;
  }

  /** Arrows of `metres_per_newton`, `thick` metres in radius; none when the scale is 0. */
  show(frame: number, metres_per_newton: number, thick: number): void {
    const { values, width } = this.replay;
    this.arrows.begin();
    for (const field of metres_per_newton > 0 ? this.fields : []) {
      for (let s = 0; s < field.count; s += 6) {
        const at = frame * width + field.offset + s;
        this.arrows.add(values, at, at + 3, 3, metres_per_newton, thick);
      }
    }
    this.arrows.end();
  }

  drawn(): { name: string; colour: string; arrows: ArrowView[] } {
    return { name: this.family.name, colour: this.arrows.colour, arrows: this.arrows.drawn() };
  }
}

/** Arrows of vectors at bodies. */
export class VectorArrows {
  private readonly arrows: Arrows;
  private readonly poses: Map<string, Field>;

  constructor(private readonly replay: Replay, group: THREE.Group, ghost: boolean) {
    this.poses = find_poses(replay);
    this.arrows = new Arrows(group, replay.fields.filter((f) => f.kind === 'vector').length, opacity(ghost));
  }

  set_colour(colour: string): void {
    this.arrows.colour = colour;
  }

  /** Vectors of one quantity, each from the middle of its body, in world axes; none when the scale is 0. */
  show(frame: number, vectors: Vectors | undefined, scale: number, thick: number): void {
    const { values, width } = this.replay;
    const start = frame * width;
    this.arrows.begin();
    for (const field of scale > 0 ? (vectors?.fields ?? []) : []) {
      const pose = this.poses.get(field.body ?? '');
      const body = this.replay.bodies.find((b) => b.name === field.body);
      if (pose) this.arrows.add(values, start + pose.offset, start + field.offset, field.count, scale, thick);
      else if (body?.pose) this.arrows.add([...body.pose.subarray(0, 3), ...values.subarray(start + field.offset, start + field.offset + field.count)], 0, 3, field.count, scale, thick);
    }
    this.arrows.end();
  }

  /** A large value of a quantity in this run: nine in ten are below it. */
  typical(vectors: Vectors | undefined): number {
    const { values, width, frames } = this.replay;
    const sizes: number[] = [];
    for (const field of vectors?.fields ?? []) {
      for (let k = 0; k < frames; k += Math.max(1, Math.floor(frames / 1000))) {
        sizes.push(Math.hypot(...values.subarray(k * width + field.offset, k * width + field.offset + Math.min(3, field.count))));
      }
    }
    return typical(sizes);
  }

  drawn(): ArrowView[] {
    return this.arrows.drawn();
  }
}
