// The plot under the scene: one quantity, any of its members, both runs; a click or drag seeks.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { around } from './range.ts';
import type { Group } from './replay/channels.ts';
import { frame_at, type Replay } from './replay/format.ts';

// colour-blind safe; repeats after ten
export const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7b61c9', '#8c6d31', '#a3a500', '#666f78'];

export interface Series {
  key: string; // of the member: 1, 2, … or ''
  title: string;
  colour: string;
  dashed: boolean;
  values: Float64Array; // at the plot's times, NaN past the end of its run
}

export class Plot {
  private plot: uPlot | null = null;
  private series: Series[] = [];
  private t = 0;
  private label = '';
  private instant = false;
  private ink = '#000';
  private line = '#ccc';

  constructor(
    private readonly element: HTMLElement,
    private readonly playhead: HTMLElement,
    private readonly time: Float64Array,
    private readonly seek: (t: number) => void,
  ) {
    new ResizeObserver(() => {
      this.plot?.setSize(this.size());
      this.place();
    }).observe(element);
    const to_time = (event: PointerEvent) => {
      if (!this.plot || this.instant) return;
      const left = event.clientX - this.plot.over.getBoundingClientRect().left;
      this.seek(this.plot.posToVal(left, 'x'));
    };
    let dragging = false;
    element.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      dragging = true;
      element.setPointerCapture(event.pointerId);
      to_time(event);
    });
    element.addEventListener('pointermove', (event) => dragging && to_time(event));
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, () => (dragging = false));
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(80, this.element.clientWidth), height: Math.max(40, this.element.clientHeight) };
  }

  set_theme(ink: string, line: string): void {
    this.ink = ink;
    this.line = line;
    if (this.plot) this.show(this.series, this.label);
  }

  show(series: Series[], label: string): void {
    this.series = series;
    this.label = label;
    this.plot?.destroy();
    const font = '11px system-ui, sans-serif';
    const [first, last] = [this.time[0]!, this.time[this.time.length - 1]!];
    const instant = !(last > first); // a run of one moment: a point for each member, by its mark
    const few = this.time.length <= 60; // a value between gaps is a point
    const marks = [...new Set(series.map((s) => s.key))];
    const width = Math.max(1, marks.length);
    // gaps are null: a line would go on over NaN
    const gaps = (values: Float64Array) => Array.from(values, (x) => (Number.isFinite(x) ? x : null));
    const data = instant
      ? [Array.from({ length: width }, (_, i) => i + 1), ...series.map((s) => Array.from({ length: width }, (_, i) => (marks[i] === s.key ? gaps(s.values)[0]! : null)))]
      : [this.time, ...series.map((s) => gaps(s.values))];
    const marks_at = (splits: number[]) => splits.map((s) => marks[s - 1] ?? '');
    this.instant = instant;
    this.playhead.hidden = instant;
    const axis = { stroke: this.ink, font, labelFont: font, grid: { stroke: this.line, width: 1 }, ticks: { stroke: this.line, width: 1, size: 4 } };
    this.plot = new uPlot(
      {
        ...this.size(),
        padding: [8, 12, 0, 0],
        legend: { show: false },
        cursor: { drag: { x: false, y: false, setScale: false }, points: { show: false } },
        scales: { x: { time: false, range: () => (instant ? [0.5, width + 0.5] : [first, last]) }, y: { range: (_, low, high) => around(low, high) } },
        axes: [
          { ...axis, size: 26, values: (_, splits) => (instant ? marks_at(splits) : splits.map((s) => `${+s.toPrecision(6)} s`)), space: instant ? 24 : 60, ...(instant ? { incrs: [1, 2, 5, 10, 20, 50] } : {}) },
          { ...axis, size: 52, ...(this.size().height > 130 ? { label, labelSize: 16 } : {}), space: 18, values: (_, splits) => splits.map((s) => String(+s.toPrecision(4))) },
        ],
        series: [{}, ...series.map((s) => ({ label: s.title, stroke: s.colour, width: 1.25, pxAlign: 0, points: { show: instant || few, size: instant ? 7 : 4, fill: s.dashed ? '#0000' : s.colour }, ...(s.dashed ? { dash: [5, 4] } : {}) }))],
      },
      data as uPlot.AlignedData,
      this.element,
    );
    this.place();
  }

  set_time(t: number): void {
    this.t = t;
    this.place();
  }

  private place(): void {
    if (!this.plot) return;
    const { over } = this.plot;
    const x = this.plot.valToPos(this.t, 'x');
    this.playhead.style.transform = `translateX(${over.offsetLeft + x - 0.75}px)`;
    this.playhead.style.top = `${over.offsetTop}px`;
    this.playhead.style.height = `${over.offsetHeight}px`;
  }

  /** The time at the playhead, read back from its place on the screen. */
  playhead_time(): number {
    if (!this.plot) return NaN;
    if (this.instant) return this.t; // it has none
    const box = this.playhead.getBoundingClientRect();
    return this.plot.posToVal(box.left + 0.75 - this.plot.over.getBoundingClientRect().left, 'x');
  }

  get data(): { title: string; values: Float64Array }[] {
    return this.series.map(({ title, values }) => ({ title, values }));
  }
}

/** The chosen members of a group for one run, at the times of another (the same frame nearest in time). */
export function make_series(group: Group, keys: Set<string>, replay: Replay, time: Float64Array, dashed: boolean): Series[] {
  const same = replay.time.length === time.length && replay.time.every((t, k) => t === time[k]);
  const frames = Int32Array.from(time, (t, k) => (same ? k : t > replay.time[replay.frames - 1]! + 0.5 / replay.rate ? -1 : frame_at(replay.time, t)));
  return group.channels
    .filter((channel) => keys.has(channel.key))
    .map((channel, i) => ({ key: channel.key, title: channel.title, colour: colours[i % colours.length]!, dashed, values: Float64Array.from(frames, (k) => (k < 0 ? NaN : channel.read(k))) }));
}
