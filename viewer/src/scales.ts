// How long arrows are and what colours mean, from the sizes of the run's own numbers.

import type { Run } from './load.ts';
import type { Body, Group, Vectors } from './replay.ts';
import { round_down, type SceneView } from './scene.ts';

export class Scales {
  readonly force_typical: number; // N, a large contact force of the runs
  readonly extent: number; // m, the radius of a usual body: the size of arrows goes with it
  readonly thick: number; // m, the radius of an arrow
  private readonly vector_sizes = new Map<string, number>();
  private readonly ranges = new Map<string, number>();
  private readonly one_sided = new Set<string>();

  constructor(
    private readonly view: SceneView | null,
    private readonly runs: Run[],
    private readonly groups: Group[][],
    private readonly vectors: Vectors[][],
    links: Body[],
  ) {
    this.force_typical = view ? Math.max(0, ...view.actors.map((a) => a.force_typical)) : 0;
    this.extent = links.map((b) => b.size[0] ?? 0).filter((r) => r > 0).sort((p, q) => p - q)[links.length >> 1] ?? 0.03;
    this.thick = 0.1 * this.extent;
  }

  /** Metres a newton: a large force of the run is four to ten body radii long, on a round scale; peaks may be longer. */
  force(size: number): number {
    return this.force_typical > 0 ? round_down((10 * this.extent) / this.force_typical) * 10 ** size : 0;
  }

  /** A large value of these vectors in the runs; 0 when they are zero or unknown. */
  vector_typical(name: string): number {
    let typical = this.vector_sizes.get(name);
    if (typical === undefined) {
      typical = this.view ? Math.max(0, ...this.view.actors.map((a, i) => a.vector_typical(this.vectors[i]!.find((v) => v.name === name)))) : 0;
      this.vector_sizes.set(name, typical);
    }
    return typical;
  }

  /** Metres a unit of these vectors. */
  vector(name: string, size: number): number {
    const typical = this.vector_typical(name);
    return typical > 0 ? round_down((10 * this.extent) / typical) * 10 ** size : 0;
  }

  /** The value at the ends of the colours: 98 in 100 values lie within, the rest have the end's colour. */
  range(name: string): number {
    let range = this.ranges.get(name);
    if (range === undefined) {
      const sizes: number[] = [];
      this.groups.forEach((groups, i) => groups.find((g) => g.name === name)?.channels.forEach((c) => {
        const { frames } = this.runs[i]!.replay;
        for (let k = 0; k < frames; k += Math.max(1, Math.floor(frames / 500))) sizes.push(c.read(k));
      }));
      if (!sizes.some((x) => x < 0)) this.one_sided.add(name);
      const sorted = sizes.filter(Number.isFinite).map(Math.abs).sort((p, q) => p - q);
      range = Number((sorted[Math.floor(0.98 * sorted.length)] ?? 0).toPrecision(2));
      if (range < 1e-9) range = 0; // rounding errors of something that is zero
      this.ranges.set(name, range);
    }
    return range || 1;
  }

  /** Whether the quantity is never below zero. */
  is_positive(name: string): boolean {
    this.range(name);
    return this.one_sided.has(name);
  }
}
