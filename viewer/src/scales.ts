// How long arrows are and what colours mean, from the sizes of the run's own numbers.

import type { Run } from './load.ts';
import type { Colouring, Vectors } from './replay/channels.ts';
import { radius_of } from './replay/structure.ts';
import type { Body } from './replay/format.ts';
import { round_down } from './scene/ground.ts';
import { half_lengths } from './scene/shapes.ts';
import type { SceneView } from './scene/view.ts';

const median = (numbers: number[]): number | undefined => numbers.sort((p, q) => p - q)[numbers.length >> 1];

export class Scales {
  readonly extent: number; // m, the radius of a usual body
  readonly thick: number; // m, the radius of an arrow
  private readonly reach: number; // m, the size of arrows goes with it: that radius, more where bodies are slender
  private readonly family_sizes = new Map<string, number>();
  private readonly vector_sizes = new Map<string, number>();
  private readonly ranges = new Map<string, { range: number; positive: boolean }>();

  constructor(
    private readonly view: SceneView | null,
    private readonly runs: Run[],
    private readonly vectors: Vectors[][],
    private readonly colourings: Colouring[][],
    links: Body[],
  ) {
    const tubes = runs[0]!.replay.bodies.filter((b) => b.shape === 'tube' && !b.points);
    const radii = (bodies: Body[]) => bodies.map(radius_of).filter((r) => r > 0);
    const reaches = links.map((b) => Math.max(radius_of(b), 0.4 * half_lengths(b.shape, b.size, 0)[0])).filter((r) => r > 0);
    this.extent = median(radii(links)) ?? median(radii(tubes)) ?? 0.03;
    this.reach = Math.max(this.extent, median(reaches) ?? 0);
    this.thick = 0.1 * this.reach;
    for (const forces of view?.actors.flatMap((a) => a.forces) ?? []) {
      const { name } = forces.family;
      this.family_sizes.set(name, Math.max(forces.typical, this.family_typical(name)));
    }
  }

  /** N, a large force of this family in the runs; 0 when there is none. */
  family_typical(name: string): number {
    return this.family_sizes.get(name) ?? 0;
  }

  /** Metres per newton: a large force of the family is four to ten body radii long (slender bodies: longer), on a round scale; peaks may be longer.
   *  Families of about the same size share the scale, so that they can be compared. */
  family(name: string, size: number): number {
    const own = this.family_typical(name);
    return this.length_of(Math.max(own, ...[...this.family_sizes.values()].filter((other) => other < 1.5 * own)), size);
  }

  /** A large value of these vectors in the runs; 0 when they are zero or unknown. */
  vector_typical(name: string): number {
    let typical = this.vector_sizes.get(name);
    if (typical === undefined) {
      typical = this.view ? Math.max(0, ...this.view.actors.map((a, i) => a.vectors.typical(this.vectors[i]!.find((v) => v.name === name)))) : 0;
      this.vector_sizes.set(name, typical);
    }
    return typical;
  }

  /** Metres per unit of these vectors. */
  vector(name: string, size: number): number {
    return this.length_of(this.vector_typical(name), size);
  }

  private length_of(typical: number, size: number): number {
    return typical > 0 ? round_down((10 * this.reach) / typical) * 10 ** size : 0;
  }

  /** The value at the ends of the colours: 98 in 100 values lie within, the rest have the end's colour. */
  range(name: string): number {
    return this.judge(name).range || 1;
  }

  /** Whether the quantity is never below zero. */
  is_positive(name: string): boolean {
    return this.judge(name).positive;
  }

  private judge(name: string): { range: number; positive: boolean } {
    const known = this.ranges.get(name);
    if (known) return known;
    const seen: number[] = [];
    this.colourings.forEach((colourings, i) => {
      const colouring = colourings.find((c) => c.name === name);
      const { frames, values, width } = this.runs[i]!.replay;
      for (let k = 0; k < frames; k += Math.max(1, Math.floor(frames / 500))) {
        for (const c of colouring?.group?.channels ?? []) seen.push(c.read(k));
        for (const f of colouring?.profile?.fields ?? []) for (let j = 0; j < f.count; ++j) seen.push(values[k * width + f.offset + j]!);
      }
    });
    const positive = !seen.some((x) => x < 0);
    const sorted = Float64Array.from(seen.filter(Number.isFinite), Math.abs).sort();
    let range = Number((sorted[Math.floor(0.98 * sorted.length)] ?? 0).toPrecision(2));
    if (range < 1e-9) range = 0; // rounding errors of something that is zero
    const found = { range, positive };
    this.ranges.set(name, found);
    return found;
  }
}
