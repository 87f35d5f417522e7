// Trails: where bodies have been.

import * as THREE from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

import type { Replay } from '../replay/format.ts';
import { find_poses } from '../replay/structure.ts';

interface Trail {
  line: Line2;
  material: LineMaterial;
  frames: number[]; // of its points
}

export class Trails {
  private readonly trails = new Map<string, Trail>();

  constructor(private readonly replay: Replay, private readonly group: THREE.Group, private readonly ghost: boolean) {}

  /** Trails of the bodies named and of no others, raised by z. */
  set(names: Set<string>, z: number): void {
    for (const [name, trail] of this.trails) {
      if (names.has(name)) continue;
      this.group.remove(trail.line);
      trail.line.geometry.dispose();
      trail.material.dispose();
      this.trails.delete(name);
    }
    const { values, width, frames, bodies } = this.replay;
    const poses = find_poses(this.replay);
    for (const body of bodies) {
      const field = poses.get(body.name);
      if (!field || !names.has(body.name) || this.trails.has(body.name) || frames < 2) continue;
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
  }

  /** Up to a frame. */
  set_frame(frame: number): void {
    for (const trail of this.trails.values()) {
      let end = 0;
      while (end + 1 < trail.frames.length && trail.frames[end + 1]! <= frame) ++end;
      trail.line.geometry.instanceCount = end;
    }
  }

  drawn(): { name: string; start: number[]; end: number[] }[] {
    return [...this.trails].map(([name, { line }]) => {
      // segments of six numbers, as many as are drawn
      const { array } = (line.geometry.getAttribute('instanceStart') as THREE.InterleavedBufferAttribute).data;
      const last = Math.max(0, line.geometry.instanceCount - 1);
      return { name, start: [...array.slice(0, 3)], end: [...array.slice(6 * last + 3, 6 * last + 6)] };
    });
  }
}
