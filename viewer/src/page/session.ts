// What the page shows: the runs, what may be chosen of them, what is chosen, and the address that keeps it.

import { find_fault, read_address, write_address, type AddressFault, type Choices, type State } from '../address.ts';
import { at } from '../dom.ts';
import type { Run } from '../load.ts';
import { make_colourings, make_groups, make_profiles, make_vectors, type Colouring, type Group, type Vectors } from '../replay/channels.ts';
import type { Body, Family } from '../replay/format.ts';
import { find_links } from '../replay/structure.ts';
import { Scales } from '../scales.ts';
import type { SceneView } from '../scene/view.ts';

/** When the last frame of a run is, in seconds. */
export const end_of = (run: Run) => run.replay.time[run.replay.frames - 1]!;

// The family of either run, each once.
function join_families(runs: Run[]): Family[] {
  const families = new Map<string, Family>();
  for (const family of runs.flatMap((r) => r.replay.families)) if (!families.has(family.name)) families.set(family.name, family);
  return [...families.values()];
}

export class Session {
  readonly first: Run;
  readonly t_first: number;
  readonly t_last: number;
  readonly clock: Float64Array; // times of the longest run: steps and plots go by it
  readonly digits: number; // decimals of a second
  readonly groups: Group[][]; // by run
  readonly vectors: Vectors[][]; // by run
  readonly colourings: Colouring[][]; // by run
  readonly families: Family[];
  readonly links: Body[];
  readonly middle: string; // name of the middle link
  readonly scales: Scales;
  readonly speeds: number[];
  readonly choices: Choices;
  readonly defaults: State;
  readonly state: State;
  private timer = 0;

  constructor(readonly runs: Run[], readonly view: SceneView | null) {
    this.first = runs[0]!;
    const { replay } = this.first;
    this.t_first = replay.time[0]!;
    this.t_last = Math.max(...runs.map(end_of));
    this.clock = runs.reduce((longest, run) => (end_of(run) > end_of(longest) ? run : longest)).replay.time;
    this.digits = Math.max(2, Math.min(4, Math.ceil(Math.log10(replay.rate))));
    this.groups = runs.map((run) => make_groups(run.replay));
    this.vectors = runs.map((run) => make_vectors(run.replay).filter((v) => v.fields.some((f) => f.body !== null)));
    this.colourings = runs.map((run, i) => make_colourings(this.groups[i]!, make_profiles(run.replay), find_links(run.replay)));
    this.families = join_families(runs);
    this.links = find_links(replay);
    this.middle = this.links[Math.ceil(this.links.length / 2) - 1]?.name ?? '';
    this.scales = new Scales(view, runs, this.vectors, this.colourings, this.links);
    this.speeds = [...at<HTMLSelectElement>('speed').options].map((o) => Number(o.value));
    this.choices = this.make_choices();
    this.defaults = this.make_defaults();
    this.state = read_address(location.hash, this.defaults, this.choices);
  }

  find_group(name: string): Group | undefined {
    return this.groups[0]!.find((g) => g.name === name);
  }

  private make_choices(): Choices {
    const some = (_: unknown, i: number, all: unknown[]) => all.length <= 4 || i === 0 || i === all.length - 1 || i === all.length >> 1;
    return {
      plots: this.groups[0]!.map((g) => g.name),
      families: this.families.map((f) => f.name),
      vectors: this.vectors[0]!.map((v) => v.name),
      colours: this.colourings[0]!.map((c) => c.name),
      bodies: this.links.map((b) => b.name),
      speeds: this.speeds,
      channels: (plot) => (this.find_group(plot)?.channels ?? []).map((c) => c.key),
      // at one moment they lie side by side
      members: (plot) => new Set((this.find_group(plot)?.channels ?? []).filter(this.t_last > this.t_first ? some : () => true).map((c) => c.key)),
    };
  }

  private make_defaults(): State {
    const { choices } = this;
    const narrow = matchMedia('(max-width: 760px), (max-height: 480px)').matches;
    const torque = this.groups[0]!.find((g) => g.role === 'torque')?.name ?? '';
    return {
      t: this.t_first,
      camera: this.runs.length === 1 && (narrow || this.view?.travels) ? 'follow' : 'orbit',
      view: null,
      plot: torque || (choices.plots[0] ?? ''),
      members: new Set(),
      trails: new Set(this.middle ? [this.middle] : []),
      arrows: new Set(choices.families),
      force_size: 0,
      sizes: new Map(),
      vectors: choices.vectors[0] ?? '',
      colour: choices.colours.includes(torque) ? torque : '',
      speed: 1,
      loop: false,
      theme: '',
      ghost: true,
      shadows: true,
      panel: !narrow,
    };
  }

  /** What of an address this page cannot show. */
  find_fault(hash: string): AddressFault | null {
    return find_fault(hash, this.defaults, this.choices);
  }

  /** Takes what an address says. */
  follow(hash: string): void {
    Object.assign(this.state, read_address(hash, this.defaults, this.choices));
  }

  /** Has the address keep the view: a moment after a change, also while playing. */
  keep(): void {
    if (this.timer !== 0) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.state.view = this.view?.view ?? null;
      try {
        history.replaceState(null, '', write_address(this.state, this.defaults, this.choices, this.digits));
      } catch {
        // a sandboxed frame, as in a notebook, has no address to keep
      }
    }, 400); // browsers allow about three per second
  }
}
