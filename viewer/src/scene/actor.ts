// One run in the scene: its bodies, curves, joints, arrows and trails.

import * as THREE from 'three';

import type { Colouring } from '../replay/channels.ts';
import type { Replay } from '../replay/format.ts';
import type { Point } from '../replay/structure.ts';
import { Forces, VectorArrows, type ArrowView } from './arrows.ts';
import { Bodies } from './bodies.ts';
import type { Palette } from './palette.ts';
import { Rings } from './rings.ts';
import { Trails } from './trails.ts';
import { Tubes, type TubeView } from './tubes.ts';

/** What is drawn of a run, read back from the meshes. */
export interface ActorView {
  frame: number;
  visible: boolean;
  links: { name: string; colour: string }[];
  rings: { position: number[]; colour: string }[]; // at joints, when they are coloured
  forces: ArrowView[]; // of all families
  families: { name: string; colour: string; arrows: ArrowView[] }[];
  vectors: ArrowView[];
  tubes: TubeView[];
  trails: { name: string; start: number[]; end: number[] }[];
}

/** A point of the run and how far it reaches along the world's axes. */
type Act = (values: ArrayLike<number>, at: number, reach: Point) => void;

export class Actor {
  readonly group = new THREE.Group();
  readonly bodies: Bodies;
  readonly tubes: Tubes;
  readonly forces: Forces[];
  readonly vectors: VectorArrows;
  private readonly rings: Rings;
  private readonly trails: Trails;
  frame = 0;

  /** Of what stands in both runs, the ghost draws nothing. */
  constructor(readonly replay: Replay, ghost: boolean, standing_elsewhere: Set<string>) {
    this.bodies = new Bodies(replay, this.group, ghost, standing_elsewhere);
    this.tubes = new Tubes(replay, this.group, ghost, standing_elsewhere);
    this.rings = new Rings(replay, this.group, ghost);
    this.forces = replay.families.map((family) => new Forces(replay, family, this.group, ghost));
    this.vectors = new VectorArrows(replay, this.group, ghost);
    this.trails = new Trails(replay, this.group, ghost);
    this.set_frame(0);
  }

  set_frame(frame: number): void {
    this.frame = frame;
    this.bodies.set_frame(frame);
    this.rings.set_frame(frame);
    this.tubes.set_frame(frame);
    this.trails.set_frame(frame);
  }

  /** Colours links, joints or curves, red from `range` on; undefined gives all their own colours. */
  set_colours(colouring: Colouring | undefined, range: number): void {
    const channels = colouring?.group?.channels ?? [];
    const by_number = new Map(channels.map((c) => [c.key, c]));
    const value = (channel: (typeof channels)[number] | undefined) => (channel?.read(this.frame) ?? 0) / range;
    this.bodies.colour_links(colouring?.on === 'links' ? (i) => value(channels[i]) : null);
    // of a joint with several coordinates the one that has most
    const largest = (all: number[]) => all.map((j) => value(by_number.get(String(j)) ?? channels[j - 1])).reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
    this.rings.show(this.frame, colouring?.on === 'joints' ? largest : null);
    this.tubes.set_colours(colouring?.profile?.fields ?? [], range, this.frame);
  }

  set_palette(palette: Palette): void {
    this.bodies.set_palette(palette);
    this.tubes.set_palette(palette);
    for (const forces of this.forces) forces.set_colour(palette.force);
    this.vectors.set_colour(palette.vector);
  }

  set_trails(names: Set<string>, z: number): void {
    this.trails.set(names, z);
    this.trails.set_frame(this.frame);
  }

  drawn(): ActorView {
    const families = this.forces.map((f) => f.drawn());
    return {
      frame: this.frame,
      visible: this.group.visible,
      links: this.bodies.drawn(),
      rings: this.rings.drawn(),
      forces: families.flatMap((f) => f.arrows),
      families,
      vectors: this.vectors.drawn(),
      tubes: this.tubes.drawn(),
      trails: this.trails.drawn(),
    };
  }

  /** Calls with every known point of what moves, in a frame. */
  each_moving(frame: number, act: Act): void {
    const known: Act = (v, at, reach) => {
      if (Number.isFinite(v[at]! + v[at + 1]! + v[at + 2]! + reach[0] + reach[1] + reach[2])) act(v, at, reach);
    };
    this.bodies.each_moving(frame, known);
    this.tubes.each_moving(frame, (v, at, radius) => known(v, at, [radius, radius, radius]));
  }

  /** Calls with every point of what stands. */
  each_standing(act: Act): void {
    this.bodies.each_standing(act);
    this.tubes.each_standing((v, at, radius) => act(v, at, [radius, radius, radius]));
  }

  /** Whether the robot is in the plane z = `plane` all the time. */
  is_planar(plane: number): boolean {
    const { values, width, frames } = this.replay;
    const off = (z: number) => z !== plane && !Number.isNaN(z);
    for (let k = 0; k < frames; ++k) {
      for (const { field } of this.bodies.links) if (off(values[k * width + field.offset + 2]!)) return false;
      let flat = true;
      this.tubes.each_moving(k, (v, at) => (flat &&= !off(v[at + 2]!)));
      if (!flat) return false;
    }
    return true;
  }

  /** Mean of the moving points at a frame; unchanged when none is known. */
  centre(frame: number, to: THREE.Vector3): THREE.Vector3 {
    const sum = new THREE.Vector3();
    let n = 0;
    this.each_moving(frame, (v, at) => {
      sum.x += v[at]!;
      sum.y += v[at + 1]!;
      sum.z += v[at + 2]!;
      ++n;
    });
    return n > 0 ? to.copy(sum).divideScalar(n) : to;
  }

  /** The box around what moves, in a frame; empty when nothing is known. */
  box(frame: number): THREE.Box3 {
    const box = new THREE.Box3();
    this.each_moving(frame, (v, at, reach) => expand(box, v, at, reach));
    return box;
  }
}

const corner = new THREE.Vector3();

/** Makes the box hold a point and what reaches around it. */
export function expand(box: THREE.Box3, v: ArrayLike<number>, at: number, reach: Point): void {
  for (const side of [-1, 1]) box.expandByPoint(corner.set(v[at]! + side * reach[0], v[at + 1]! + side * reach[1], v[at + 2]! + side * reach[2]));
}
