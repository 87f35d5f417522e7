// Bodies that have a pose: those of the same shape and size are instances of one mesh.

import * as THREE from 'three';

import type { Body, Field, Replay } from '../replay/format.ts';
import { find_links, find_poses, radius_of, type Point } from '../replay/structure.ts';
import { diverging, make_material, standing_colour, type Palette } from './palette.ts';
import { half_lengths, make_geometry, reach_of } from './shapes.ts';

interface Slot {
  mesh: THREE.InstancedMesh;
  index: number;
}

interface Moving {
  body: Body;
  field: Field;
  half: Point; // m, half its lengths
  slot: Slot | null;
}

const one = new THREE.Vector3(1, 1, 1);

export class Bodies {
  readonly moving: Moving[] = [];
  readonly links: Moving[];
  private readonly standing: { body: Body; slot: Slot | null; half: Point }[] = [];
  private readonly matrix = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly scale = new THREE.Vector3();
  private readonly colour = new THREE.Color();

  /** Adds the meshes to `group`. A ghost leaves out what stands in `standing_elsewhere`. */
  constructor(private readonly replay: Replay, group: THREE.Group, private readonly ghost: boolean, standing_elsewhere: Set<string>) {
    const poses = find_poses(replay);
    const thickest = Math.max(0, ...replay.bodies.filter((b) => poses.has(b.name)).map(radius_of));
    const circle_height = 2.1 * (thickest || 0.05);
    const kinds = new Map<string, { body: Body; field: Field | undefined }[]>();
    for (const body of replay.bodies) {
      const field = poses.get(body.name);
      if (!field && (!body.pose || body.points)) continue;
      const still = JSON.stringify([body.shape, body.size, body.pose && [...body.pose]]);
      if (!field && body.shape !== 'plane') {
        if (ghost && standing_elsewhere.has(still)) continue;
        standing_elsewhere.add(still);
      }
      const kind = JSON.stringify([body.shape, body.size, field !== undefined]);
      kinds.set(kind, [...(kinds.get(kind) ?? []), { body, field }]);
    }
    for (const members of kinds.values()) {
      const { shape, size } = members[0]!.body;
      const mesh = this.make_mesh(make_geometry(shape, size, circle_height), members.length, group);
      const half = half_lengths(shape, size, circle_height);
      members.forEach(({ body, field }, index) => {
        const slot = mesh && { mesh, index };
        if (field) this.moving.push({ body, field, half, slot });
        else if (body.shape !== 'plane') this.standing.push({ body, slot, half });
        if (!slot) return;
        slot.mesh.setColorAt(index, this.colour.set(body.colour));
        if (!field && body.pose) slot.mesh.setMatrixAt(index, this.place(body.pose, 0));
      });
    }
    const order = new Map(replay.bodies.map((b, i) => [b.name, i]));
    this.moving.sort((p, q) => order.get(p.body.name)! - order.get(q.body.name)!);
    const links = new Set(find_links(replay).map((b) => b.name));
    this.links = this.moving.filter((m) => links.has(m.body.name));
  }

  private make_mesh(geometry: THREE.BufferGeometry | null, count: number, group: THREE.Group): THREE.InstancedMesh | null {
    if (!geometry) return null;
    const material = make_material(this.ghost);
    material.vertexColors = geometry.hasAttribute('color');
    const mesh = new THREE.InstancedMesh(geometry, material, count);
    mesh.frustumCulled = false;
    mesh.castShadow = !this.ghost;
    mesh.receiveShadow = !this.ghost;
    group.add(mesh);
    if (this.ghost) {
      // depth first, so that overlapping bodies of a ghost do not show through each other
      const depth = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ colorWrite: false, transparent: true }), count);
      depth.instanceMatrix = mesh.instanceMatrix;
      depth.frustumCulled = false;
      depth.renderOrder = 1;
      mesh.renderOrder = 2;
      group.add(depth);
    }
    return mesh;
  }

  private place(v: ArrayLike<number>, at: number): THREE.Matrix4 {
    this.position.set(v[at]!, v[at + 1]!, v[at + 2]!);
    this.rotation.set(v[at + 4]!, v[at + 5]!, v[at + 6]!, v[at + 3]!);
    this.matrix.compose(this.position, this.rotation, one);
    // a body whose pose is unknown is not drawn
    return this.matrix.elements.every(Number.isFinite) ? this.matrix : this.matrix.makeScale(0, 0, 0);
  }

  /** Puts every moving body where it is in a frame. */
  set_frame(frame: number): void {
    const { values, width } = this.replay;
    const touched = new Set<THREE.InstancedMesh>();
    for (const { field, slot } of this.moving) {
      if (!slot) continue;
      slot.mesh.setMatrixAt(slot.index, this.place(values, frame * width + field.offset));
      touched.add(slot.mesh);
    }
    for (const mesh of touched) mesh.instanceMatrix.needsUpdate = true;
  }

  /** Colours the links by values in -1 … 1; null gives them their own colours. */
  colour_links(value: ((i: number) => number) | null): void {
    this.links.forEach(({ body, slot }, i) => {
      if (!slot) return;
      slot.mesh.setColorAt(slot.index, value ? diverging(value(i), this.colour) : this.colour.set(body.colour));
      slot.mesh.instanceColor!.needsUpdate = true;
    });
  }

  set_palette(palette: Palette): void {
    for (const { slot, body } of this.standing) {
      if (!slot) continue;
      slot.mesh.setColorAt(slot.index, this.colour.set(standing_colour(body.colour, palette)));
      slot.mesh.instanceColor!.needsUpdate = true;
    }
  }

  pose_of(name: string): number[] | null {
    const slot = [...this.standing, ...this.moving].find((m) => m.body.name === name)?.slot;
    if (!slot) return null;
    slot.mesh.getMatrixAt(slot.index, this.matrix);
    this.matrix.decompose(this.position, this.rotation, this.scale);
    return [...this.position.toArray(), this.rotation.w, this.rotation.x, this.rotation.y, this.rotation.z];
  }

  /** The links with the colours they are drawn in. */
  drawn(): { name: string; colour: string }[] {
    return this.links.flatMap(({ body, slot }) => {
      if (!slot) return [];
      slot.mesh.getColorAt(slot.index, this.colour);
      return [{ name: body.name, colour: `#${this.colour.getHexString(THREE.SRGBColorSpace)}` }];
    });
  }

  /** Calls with the middle of every body that moves, in a frame, and half its lengths along the world's axes. */
  each_moving(frame: number, act: (values: ArrayLike<number>, at: number, reach: Point) => void): void {
    const { values, width } = this.replay;
    for (const { body, field, half } of this.moving) {
      const at = frame * width + field.offset;
      act(values, at, reach_of(body.shape, half, values, at));
    }
  }

  /** The same for bodies that stand. */
  each_standing(act: (values: ArrayLike<number>, at: number, reach: Point) => void): void {
    for (const { body, half } of this.standing) act(body.pose!, 0, reach_of(body.shape, half, body.pose!, 0));
  }
}
