// Time: seeking, stepping, playing; scrubber, clock, speed and loop.

import { at } from '../dom.ts';
import type { Run } from '../load.ts';
import { frame_at } from '../replay/format.ts';
import { end_of, type Session } from './session.ts';

export class Timeline {
  playing = false;
  private now = -1; // the frame shown, counted on the clock
  private last = 0; // ms, of the picture before
  private readonly scrubber = at<HTMLInputElement>('scrubber');
  private readonly speed = at<HTMLSelectElement>('speed');
  on_time: (moved: boolean) => void = () => undefined; // `moved`: to another frame

  constructor(private readonly session: Session) {
    this.scrubber.min = String(session.t_first);
    this.scrubber.max = String(session.t_last);
    this.scrubber.addEventListener('input', () => this.seek(Number(this.scrubber.value)));
    // a replay of one moment has nowhere to go
    for (const id of ['play', 'back', 'forward', 'loop', 'scrubber', 'speed']) at<HTMLButtonElement>(id).disabled = !this.moves;
    this.speed.addEventListener('change', () => this.set_speed(Number(this.speed.value)));
  }

  private get moves(): boolean {
    return this.session.t_last > this.session.t_first;
  }

  /** The frame of a run at this time. */
  frame_of(run: Run): number {
    return run.replay.time === this.session.clock ? this.now : frame_at(run.replay.time, this.session.state.t);
  }

  /** Whether a run has ended before this time. */
  is_over(run: Run): boolean {
    return this.session.state.t > end_of(run) + 0.5 / run.replay.rate;
  }

  /** Shows the time again; before the first seek, the frame nearest to it. */
  show(): void {
    this.show_frame(this.now < 0 ? this.nearest() : this.now);
  }

  private nearest(): number {
    return frame_at(this.session.clock, this.session.state.t);
  }

  private show_frame(frame: number): void {
    const { state, t_last, digits, runs } = this.session;
    this.scrubber.value = String(state.t);
    at('clock').textContent = `${state.t.toFixed(digits)} / ${t_last.toFixed(digits)} s`;
    const moved = frame !== this.now || runs.length > 1;
    this.now = frame;
    this.on_time(moved);
  }

  seek(t: number, frame?: number): void {
    const { state, t_first, t_last } = this.session;
    state.t = Math.max(t_first, Math.min(t_last, Number.isFinite(t) ? t : t_first));
    this.show_frame(frame ?? this.nearest());
    this.session.keep();
  }

  step(by: number): void {
    const { clock } = this.session;
    this.set_playing(false);
    const frame = Math.max(0, Math.min(clock.length - 1, this.now + by));
    this.seek(clock[frame]!, frame);
  }

  private tick(ms: number): void {
    if (!this.playing) return;
    const { state, t_first, t_last } = this.session;
    const passed = Math.min(0.25, (ms - this.last) / 1000);
    this.last = ms;
    let t = state.t + passed * state.speed;
    if (t >= t_last) {
      if (state.loop) t = t_first + ((t - t_first) % Math.max(1e-9, t_last - t_first));
      else {
        t = t_last;
        this.set_playing(false);
      }
    }
    this.seek(t);
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }

  set_playing(on: boolean): void {
    if (on === this.playing || (on && !this.moves)) return;
    this.playing = on;
    document.body.classList.toggle('playing', on);
    at('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
    if (on) {
      const { state, t_first, t_last } = this.session;
      if (state.t >= t_last) state.t = t_first;
      this.last = performance.now();
      requestAnimationFrame((ms) => this.tick(ms));
    }
    this.session.keep();
  }

  set_speed(value: number): void {
    this.session.state.speed = value;
    this.speed.value = String(value);
    this.session.keep();
  }

  /** To the next speed there is, or the one before. */
  faster(by: number): void {
    const { speeds, state } = this.session;
    this.set_speed(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(state.speed) + by))]!);
  }

  set_loop(on: boolean): void {
    this.session.state.loop = on;
    at('loop').setAttribute('aria-pressed', String(on));
    this.session.keep();
  }
}
