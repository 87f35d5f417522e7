// The plot with what is chosen for it: a quantity, some of its members; and their values now.

import { at, make_option, show_chips } from '../dom.ts';
import { colours, make_series, Plot } from '../plot.ts';
import type { Channel } from '../replay/channels.ts';
import { format_number } from '../words.ts';
import type { Session } from './session.ts';
import type { Timeline } from './timeline.ts';

export class PlotBar {
  readonly plot: Plot;
  private readonly pick = at<HTMLSelectElement>('channel');

  constructor(private readonly session: Session, private readonly timeline: Timeline) {
    const { groups, state, choices, clock } = session;
    this.plot = new Plot(at('plot'), at('playhead'), clock, (t) => timeline.seek(t));
    this.pick.replaceChildren(...groups[0]!.map((g) => make_option(g.name, g.unit ? `${g.label} (${g.unit})` : g.label)));
    this.pick.addEventListener('change', () => {
      state.plot = this.pick.value;
      state.members = choices.members(state.plot);
      this.draw();
      session.keep();
    });
  }

  draw(): void {
    const { runs, groups, state } = this.session;
    const group = this.session.find_group(state.plot);
    if (!group) return;
    this.pick.value = group.name;
    this.show_members();
    const series = runs.flatMap((run, i) => {
      const g = groups[i]!.find((other) => other.name === group.name);
      return g && (i === 0 || state.ghost) ? make_series(g, state.members, run.replay, this.session.clock, i > 0) : [];
    });
    this.plot.show(series, group.unit ? `${group.label}, ${group.unit}` : group.label);
    this.timeline.show();
  }

  private show_members(): void {
    const { state } = this.session;
    const { channels } = this.session.find_group(state.plot)!;
    const all = channels.every((c) => state.members.has(c.key));
    const shown = channels.filter((c) => state.members.has(c.key));
    const choose = (members: Set<string>) => {
      state.members = members;
      this.draw();
      this.session.keep();
    };
    show_chips(at('members'), channels.length < 2 ? [] : [
      { key: 'all', title: all ? 'none' : 'all', on: all, act: (on) => choose(on ? new Set(channels.map((c) => c.key)) : new Set([channels[0]!.key])) },
      ...channels.map((c) => ({
        key: c.key,
        title: `${c.title} (shift: only this)`,
        on: state.members.has(c.key),
        mark: colours[Math.max(0, shown.indexOf(c)) % colours.length]!,
        act: (on: boolean, alone: boolean) => {
          if (alone) choose(new Set([c.key]));
          else choose(new Set(on ? [...state.members, c.key] : [...state.members].filter((key) => key !== c.key)));
        },
      })),
    ]);
  }

  show_time(): void {
    this.plot.set_time(this.session.state.t);
  }

  show_values(): void {
    const { state, first } = this.session;
    const group = this.session.find_group(state.plot);
    const chosen = group?.channels.filter((c) => state.members.has(c.key)) ?? [];
    const value = (c: Channel) => (this.timeline.is_over(first) ? '–' : format_number(c.read(this.timeline.frame_of(first)), 3));
    at('readout').textContent = chosen.slice(0, 4).map((c) => `${c.key ? `${c.key}: ` : ''}${value(c)}`).join(' · ') + (chosen.length > 4 ? ' …' : '') + (group?.unit ? ` ${group.unit}` : '');
  }
}
