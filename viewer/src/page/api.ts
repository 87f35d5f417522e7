// What tests and other pages may ask of this one: window.coluber.

import type { ActorView } from '../scene/actor.ts';
import type { PlotBar } from './plot_bar.ts';
import type { Session } from './session.ts';
import type { Timeline } from './timeline.ts';

declare const COLUBER_VIEWER_VERSION: string;

interface Api {
  ready: boolean;
  version: string;
  readonly time: number;
  readonly frame: number; // of the first run
  readonly playing: boolean;
  seek(t: number): void;
  play(): void;
  pause(): void;
  poseOf(name: string, run?: number): number[] | null;
  pixels(): { width: number; height: number; data: Uint8Array } | null;
  drawnScene(): ActorView[] | null; // read back from what is drawn, by run
  camera(): { kind: string; target: number[]; position: number[]; pixelsPerMetre: number } | null;
  project(x: number, y: number, z: number): number[] | null; // CSS pixels in the scene, and depth from -1 (near) to 1 (far)
  plot(): { title: string; values: Float64Array }[];
  playheadTime(): number;
  view(): number[] | null; // of the camera, once moved by hand
  drawn(): Promise<void>;
  firstFrame: number; // ms from the start of navigation to the first finished picture
}

declare global {
  interface Window {
    coluber: Partial<Api>;
  }
}

window.coluber = { ready: false, version: COLUBER_VIEWER_VERSION };

export function offer(session: Session, timeline: Timeline, plot_bar: PlotBar): void {
  const { view } = session;
  Object.defineProperties(window.coluber, {
    time: { get: () => session.state.t },
    frame: { get: () => timeline.frame_of(session.first) },
    playing: { get: () => timeline.playing },
  });
  Object.assign(window.coluber, {
    seek: (t: number) => timeline.seek(t),
    play: () => timeline.set_playing(true),
    pause: () => timeline.set_playing(false),
    poseOf: (name: string, run = 0) => view?.actors[run]?.bodies.pose_of(name) ?? null,
    pixels: () => view?.pixels() ?? null,
    drawnScene: () => view?.actors.map((a) => a.drawn()) ?? null,
    camera: () => view && { kind: view.camera_kind, target: view.target, position: view.camera.position.toArray(), pixelsPerMetre: view.pixels_per_metre() },
    project: (x: number, y: number, z: number) => view?.project(x, y, z) ?? null,
    plot: () => plot_bar.plot.data,
    view: () => view?.view ?? null,
    playheadTime: () => plot_bar.plot.playhead_time(),
    drawn: () => {
      view?.request();
      return view?.drawn() ?? Promise.resolve();
    },
  } satisfies Partial<Api>);
}

/** The page shows its run. */
export function tell_ready(): void {
  window.coluber.ready = true;
  document.documentElement.dataset.ready = 'yes';
}
