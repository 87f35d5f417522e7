// The scales over the scene: lengths, arrows, colours.

import { at } from '../dom.ts';
import { round_down, tenth_pixels } from '../scene/ground.ts';
import { format_number } from '../words.ts';
import type { Session } from './session.ts';

const metres = (x: number) => (x >= 1 ? `${+x.toPrecision(3)} m` : x >= 0.01 ? `${+(100 * x).toPrecision(3)} cm` : `${+(1000 * x).toPrecision(3)} mm`);

interface Slope {
  tilt: number; // deg
  direction: number; // deg from the x axis, downhill
}

/** Of a scenario; null on level ground. */
export function slope_of(scenario: Record<string, unknown>): Slope | null {
  const world = (typeof scenario.world === 'object' && scenario.world !== null ? scenario.world : {}) as Record<string, unknown>;
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  const tilt = number(world.tilt_deg);
  return tilt === 0 ? null : { tilt, direction: number(world.tilt_direction_deg) };
}

export class Legend {
  private readonly forces: HTMLElement[]; // one per family
  private readonly slope: Slope | null;

  constructor(private readonly session: Session) {
    const slopes = session.runs.map((run) => slope_of(run.scenario));
    this.slope = slopes[0]!;
    at('slope').hidden = this.slope === null;
    if (this.slope) {
      const same = slopes.every((s) => s?.tilt === this.slope!.tilt && s.direction === this.slope!.direction);
      at('slope').querySelector('span')!.textContent = `downhill: slope of ${format_number(this.slope.tilt)}°${same ? '' : ` in ${session.first.name}`}; x and y lie in it, z is its normal`;
    }
    const first = at('force_scale');
    this.forces = session.families.map((family, i) => {
      const element = i === 0 ? first : (first.cloneNode(true) as HTMLElement);
      if (i > 0) {
        element.id = `force_scale_${i + 1}`;
        at('vector_scale').before(element);
      }
      element.querySelector('i')!.style.color = family.colour ?? '';
      return element;
    });
  }

  /** Metres per newton of a family as it is drawn now; 0 when it is not. */
  scale_of(family: string): number {
    const { state, scales } = this.session;
    return state.arrows.has(family) ? scales.family(family, state.force_size + (state.sizes.get(family) ?? 0)) : 0;
  }

  /** Turns the arrow downhill as the camera sees it; away from or towards the eye there is none. */
  private draw_slope(): void {
    const { view } = this.session;
    if (!this.slope || !view) return;
    const [x, y, z] = view.target as [number, number, number];
    const angle = (this.slope.direction * Math.PI) / 180;
    const [from, to] = [-1, 1].map((side) => view.project(x + 0.01 * side * Math.cos(angle), y + 0.01 * side * Math.sin(angle), z)) as [number[], number[]];
    const by = [to[0]! - from[0]!, to[1]! - from[1]!] as const;
    const mark = at('slope').querySelector('i')!;
    const flat = Math.hypot(...by) < 0.001 * view.pixels_per_metre();
    mark.style.visibility = flat ? 'hidden' : '';
    mark.style.transform = `rotate(${((Math.atan2(by[1], by[0]) * 180) / Math.PI).toFixed(2)}deg)`;
  }

  draw(): void {
    const { view, state, scales, families, vectors } = this.session;
    if (!view) return;
    this.draw_slope();
    const pixels = view.pixels_per_metre();
    const length = round_down(Math.max(1e-9, (innerWidth < 760 ? 90 : 160) / pixels));
    at('scale').querySelector('i')!.style.width = `${(length * pixels).toFixed(1)}px`;
    at('scale').querySelector('span')!.textContent = `${metres(length)} · grid ${metres(view.cell * (0.1 * view.cell * pixels > tenth_pixels ? 0.1 : 1))}`;
    const arrow = (element: HTMLElement, scale: number, typical: number, label: string, unit: string) => {
      element.hidden = !(scale > 0);
      if (!(scale > 0)) return;
      // a size that occurs, unless it would be too short to see
      const size = round_down(Math.min((innerWidth < 760 ? 70 : 120) / (scale * pixels), Math.max(typical, 40 / (scale * pixels))));
      element.querySelector('i')!.style.width = `${(size * scale * pixels).toFixed(1)}px`;
      element.querySelector('span')!.textContent = `${label} ${format_number(size, 3)} ${unit}`.trim();
    };
    families.forEach((f, i) => arrow(this.forces[i]!, this.scale_of(f.name), scales.family_typical(f.name), f.label, f.unit));
    const shown = vectors[0]!.find((v) => v.name === state.vectors);
    arrow(at('vector_scale'), shown ? scales.vector(state.vectors, state.force_size) : 0, scales.vector_typical(state.vectors), shown?.label ?? '', shown?.unit ?? '');
  }

  draw_ramp(): void {
    const { state, scales, colourings } = this.session;
    const colouring = colourings[0]!.find((c) => c.name === state.colour);
    at('ramp').hidden = !colouring;
    if (!colouring) return;
    const [low, high] = at('ramp').querySelectorAll('span');
    const range = scales.range(state.colour);
    const positive = scales.is_positive(state.colour);
    low!.textContent = positive ? `${colouring.label}  0` : `${colouring.label}  ≤ −${format_number(range, 3)}`;
    high!.textContent = `≥ ${format_number(range, 3)} ${colouring.unit}`;
    at('ramp').querySelector('i')!.style.background = `linear-gradient(90deg, ${positive ? '' : 'rgb(33 102 209), '}rgb(219 219 219), rgb(204 41 36))`;
  }
}
