// The scales over the scene: lengths, arrows, colours.

import { at } from '../dom.ts';
import { round_down, tenth_pixels } from '../scene/ground.ts';
import { format_number } from '../words.ts';
import type { Session } from './session.ts';

const metres = (x: number) => (x >= 1 ? `${+x.toPrecision(3)} m` : x >= 0.01 ? `${+(100 * x).toPrecision(3)} cm` : `${+(1000 * x).toPrecision(3)} mm`);

export class Legend {
  private readonly forces: HTMLElement[]; // one per family

  constructor(private readonly session: Session) {
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

  draw(): void {
    const { view, state, scales, families, vectors } = this.session;
    if (!view) return;
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
