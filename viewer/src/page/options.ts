// What of the scene is shown, as chosen in the panel: arrows by family, vectors, colours, the second run, shadows, trails.

import { at, make, make_option, show_chips } from '../dom.ts';
import type { Family } from '../replay/format.ts';
import type { Legend } from './legend.ts';
import type { Session } from './session.ts';

interface FamilyRow {
  family: Family;
  on: HTMLInputElement;
  size: HTMLInputElement;
}

const spoken = (label: string) => label.charAt(0).toUpperCase() + label.slice(1);

export class Options {
  private readonly rows: FamilyRow[];
  on_ghost: () => void = () => undefined;

  constructor(private readonly session: Session, private readonly legend: Legend) {
    const { state, runs, vectors, families, colourings, scales } = session;
    const on_change = (id: string, change: (input: HTMLInputElement) => void, kind = 'change') => {
      const input = at<HTMLInputElement>(id);
      input.addEventListener(kind, () => {
        change(input);
        this.apply();
      });
    };
    on_change('forces', (input) => (state.arrows = new Set(input.checked ? session.choices.families : [])));
    on_change('force_size', (input) => {
      state.force_size = Number(input.value);
      if (state.arrows.size === 0) state.arrows = new Set(session.choices.families);
    }, 'input');
    on_change('vectors', (input) => (state.vectors = input.value));
    on_change('colour', (input) => (state.colour = input.value));
    on_change('shadows', (input) => (state.shadows = input.checked));
    at('ghost').addEventListener('change', () => this.set_ghost(at<HTMLInputElement>('ghost').checked));
    at('ghost_row').hidden = runs.length < 2;
    // a family without a single arrow needs no row of its own
    const used = families.filter((f) => scales.family_typical(f.name) > 0);
    const one = used[0] ?? families[0];
    this.rows = used.length > 1 ? used.map((family, i) => this.make_row(family, i)) : [];
    at('families').replaceChildren(...this.rows.map((row) => row.on.closest('.row')!));
    at('forces_row').hidden = families.length === 0;
    if (used.length > 1) at('forces_row').querySelector('span')!.textContent = 'Arrows';
    else if (one?.colour) at('forces_row').querySelector('span')!.textContent = spoken(one.label);
    at('force_row').hidden = used.length === 0 && vectors[0]!.length === 0;
    at('vector_row').hidden = vectors[0]!.length === 0;
    at('colour').replaceChildren(make_option('', 'body'), ...colourings[0]!.map((c) => make_option(c.name, c.label)));
    at('vectors').replaceChildren(make_option('', 'none'), ...vectors[0]!.map((v) => make_option(v.name, v.unit ? `${v.label} (${v.unit})` : v.label)));
  }

  private make_row(family: Family, index: number): FamilyRow {
    const { state } = this.session;
    const row = make('div', '', 'row family');
    const on = make('input') as HTMLInputElement;
    on.type = 'checkbox';
    on.id = `family_${index + 1}`;
    const label = make('label', spoken(family.label)) as HTMLLabelElement;
    label.htmlFor = on.id;
    label.title = family.label;
    const mark = make('i');
    mark.style.background = family.colour ?? 'var(--force)';
    label.prepend(mark);
    const size = make('input') as HTMLInputElement;
    Object.assign(size, { type: 'range', min: '-1', max: '1', step: '0.05', id: `family_size_${index + 1}`, title: `length of ${family.label}` });
    size.setAttribute('aria-label', `Length of ${family.label}`);
    row.append(label, size, on);
    on.addEventListener('change', () => {
      if (on.checked) state.arrows = new Set([...this.session.choices.families].filter((name) => name === family.name || state.arrows.has(name)));
      else state.arrows.delete(family.name);
      this.apply();
    });
    size.addEventListener('input', () => {
      state.sizes.set(family.name, Number(size.value));
      state.arrows.add(family.name);
      this.apply();
    });
    return { family, on, size };
  }

  /** Draws what goes with the frame: arrows and colours. */
  refresh(): void {
    const { view, state, scales, vectors, colourings } = this.session;
    if (!view) return;
    view.actors.forEach((actor, i) => {
      actor.group.visible = i === 0 || state.ghost;
      for (const forces of actor.forces) forces.show(actor.frame, this.legend.scale_of(forces.family.name), scales.thick);
      actor.vectors.show(actor.frame, vectors[i]!.find((v) => v.name === state.vectors), scales.vector(state.vectors, state.force_size), scales.thick);
      const colouring = state.colour ? colourings[i]!.find((c) => c.name === state.colour) : undefined;
      actor.set_colours(colouring, colouring ? scales.range(state.colour) : 1);
    });
    view.request();
  }

  /** Shows all options as the state has them, and draws them. */
  apply(): void {
    const { state, view, families } = this.session;
    const forces = at<HTMLInputElement>('forces');
    forces.checked = state.arrows.size > 0;
    forces.indeterminate = state.arrows.size > 0 && state.arrows.size < families.length && this.rows.length > 0;
    for (const { family, on, size } of this.rows) {
      on.checked = state.arrows.has(family.name);
      size.value = String(state.sizes.get(family.name) ?? 0);
    }
    at<HTMLInputElement>('force_size').value = String(state.force_size);
    at<HTMLSelectElement>('vectors').value = state.vectors;
    at<HTMLSelectElement>('colour').value = state.colour;
    at<HTMLInputElement>('ghost').checked = state.ghost;
    at<HTMLInputElement>('shadows').checked = state.shadows;
    view?.set_shadows(state.shadows);
    this.refresh();
    this.legend.draw();
    this.legend.draw_ramp();
    this.session.keep();
  }

  /** All arrows, or none when any is shown. */
  toggle_forces(): void {
    const { state, choices } = this.session;
    state.arrows = new Set(state.arrows.size > 0 ? [] : choices.families);
    this.apply();
  }

  set_ghost(on: boolean): void {
    this.session.state.ghost = on;
    this.apply();
    this.on_ghost();
  }

  set_trails(): void {
    const { links, state, view, scales } = this.session;
    const few = links.length > 16 ? links.filter((_, i) => i === 0 || i === links.length - 1 || (i + 1) % Math.ceil(links.length / 14) === 0) : links;
    show_chips(at('trails'), few.map((b) => ({
      key: b.name.replace(/^link_/, ''),
      title: `trail of ${b.name.replace(/_/g, ' ')}`,
      on: state.trails.has(b.name),
      act: () => this.toggle_trail(b.name),
    })));
    at('trails_row').hidden = few.length === 0;
    view?.actors.forEach((a) => a.set_trails(state.trails, view.ground_z < -1e-6 ? view.ground_z + Math.max(0.02 * scales.extent, 1.1 * view.curves_top) : 0));
    view?.request();
    this.session.keep();
  }

  toggle_trail(name: string): void {
    const { trails } = this.session.state;
    if (!trails.delete(name)) trails.add(name);
    this.set_trails();
  }
}
