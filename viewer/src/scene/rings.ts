// Rings where links meet, coloured by what the joints do.

import * as THREE from 'three';

import type { Replay } from '../replay/format.ts';
import { body_axis, find_joints, rotation, type Joint } from '../replay/structure.ts';
import { diverging, make_material } from './palette.ts';

export class Rings {
  private readonly joints: (Joint | null)[];
  private readonly mesh: THREE.InstancedMesh | null = null;
  private readonly matrix = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly rotation = new THREE.Quaternion();
  private readonly scale = new THREE.Vector3();
  private readonly axis = new THREE.Vector3();
  private readonly along = new THREE.Vector3(1, 0, 0);
  private readonly colour = new THREE.Color();

  constructor(private readonly replay: Replay, group: THREE.Group, ghost: boolean) {
    this.joints = find_joints(replay);
    if (!this.joints.some(Boolean)) return;
    this.mesh = new THREE.InstancedMesh(new THREE.TorusGeometry(1.01, 0.13, 10, 36).rotateY(Math.PI / 2), make_material(ghost), this.joints.length);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    group.add(this.mesh);
  }

  set_frame(frame: number): void {
    if (!this.mesh?.visible) return;
    const { values, width } = this.replay;
    const start = frame * width;
    this.joints.forEach((joint, i) => {
      if (!joint) {
        this.mesh!.setMatrixAt(i, this.matrix.makeScale(0, 0, 0));
        return;
      }
      const at = start + (joint.by_child ? joint.second : joint.first).offset;
      const [x, y, z] = rotation(values, at);
      const [a, b, c] = joint.by_child ? joint.at_second : joint.at_first;
      const e1 = body_axis(values, start + joint.first.offset);
      const e2 = body_axis(values, start + joint.second.offset);
      this.axis.set(e1[0] + e2[0], e1[1] + e2[1], e1[2] + e2[2]);
      if (this.axis.lengthSq() > 1e-6) this.axis.normalize();
      else this.axis.fromArray(e1);
      this.position.set(values[at]! + a * x[0] + b * y[0] + c * z[0], values[at + 1]! + a * x[1] + b * y[1] + c * z[1], values[at + 2]! + a * x[2] + b * y[2] + c * z[2]);
      this.rotation.setFromUnitVectors(this.along, this.axis);
      this.mesh!.setMatrixAt(i, this.matrix.compose(this.position, this.rotation, this.scale.setScalar(joint.radius)));
      if (!this.matrix.elements.every(Number.isFinite)) this.mesh!.setMatrixAt(i, this.matrix.makeScale(0, 0, 0));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** Shows the rings in a frame, coloured by values in -1 … 1 of their coordinates; null hides them. */
  show(frame: number, value: ((coordinates: number[]) => number) | null): void {
    if (!this.mesh) return;
    this.mesh.visible = value !== null;
    if (!value) return;
    this.joints.forEach((joint, i) => this.mesh!.setColorAt(i, diverging(joint ? value(joint.coordinates) : 0, this.colour)));
    this.mesh.instanceColor!.needsUpdate = true;
    this.set_frame(frame);
  }

  drawn(): { position: number[]; colour: string }[] {
    const { mesh } = this;
    if (!mesh?.visible) return [];
    return this.joints.map((_, i) => {
      mesh.getMatrixAt(i, this.matrix);
      mesh.getColorAt(i, this.colour);
      return { position: this.position.setFromMatrixPosition(this.matrix).toArray(), colour: `#${this.colour.getHexString(THREE.SRGBColorSpace)}` };
    });
  }
}
