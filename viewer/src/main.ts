// The page: loads the runs, puts its parts together, and says what is wrong where that fails.

import './style.css';

import { at, make } from './dom.ts';
import { load_runs, type Run } from './load.ts';
import { offer, tell_ready } from './page/api.ts';
import { Controls } from './page/controls.ts';
import { Legend } from './page/legend.ts';
import { Options } from './page/options.ts';
import { PlotBar } from './page/plot_bar.ts';
import { Session } from './page/session.ts';
import { Timeline } from './page/timeline.ts';
import { show_words } from './panel.ts';
import { ReplayError } from './replay/format.ts';
import { NoPictureError, SceneView } from './scene/view.ts';

function complain(title: string, message: string, notice = false): void {
  const box = make('div');
  box.append(make('h2', title), make('p', message));
  if (notice) {
    const close = make('button', 'Close') as HTMLButtonElement;
    close.addEventListener('click', () => (at('alert').hidden = true));
    box.append(close);
  }
  document.documentElement.dataset.fault = message; // for `coluber export --to png`
  at('alert').classList.toggle('notice', notice);
  at('alert').replaceChildren(box);
  at('alert').hidden = false;
}

function open_scene(runs: Run[]): SceneView | null {
  try {
    return new SceneView(at<HTMLCanvasElement>('scene'), runs.map((r) => r.replay));
  } catch (error) {
    if (!(error instanceof NoPictureError)) throw error;
    complain('No picture', 'This browser gives no WebGL 2, so the scene cannot be drawn. Figures and plots work.', true);
    return null;
  }
}

function start(runs: Run[]): void {
  const view = open_scene(runs);
  const still = new URLSearchParams(location.hash.slice(1)).get('still') === '1';
  if (view) view.still = still;
  const session = new Session(runs, view);
  const fault = still ? session.find_fault(location.hash) : null;
  if (fault) Object.assign(document.documentElement.dataset, { refused: fault.said, known: fault.known }); // for `coluber export --to png`
  show_words(runs, session.links, session.t_last - session.t_first);
  const timeline = new Timeline(session);
  const plot_bar = new PlotBar(session, timeline);
  const legend = new Legend(session);
  const options = new Options(session, legend);
  const controls = new Controls(session, timeline, plot_bar, options, legend);
  timeline.on_time = (moved) => {
    plot_bar.show_time();
    if (view && moved) {
      runs.forEach((run, i) => view.set_frame(i, timeline.frame_of(run)));
      options.refresh();
    }
    plot_bar.show_values();
  };
  options.on_ghost = () => plot_bar.draw();

  const { state } = session;
  const apply = () => {
    controls.set_panel(state.panel);
    controls.set_theme();
    options.set_trails();
    timeline.set_speed(state.speed);
    timeline.set_loop(state.loop);
    timeline.seek(state.t);
    plot_bar.draw();
    const wanted = state.view;
    controls.set_camera(state.camera);
    view?.fit();
    if (view && wanted) view.view = wanted;
    options.apply();
  };
  apply();
  window.addEventListener('hashchange', (event) => {
    // not location.hash: the view of before may have been written into it since
    session.follow(new URL(event.newURL).hash);
    apply();
  });
  offer(session, timeline, plot_bar);
  if (!view) {
    tell_ready();
    return;
  }
  view.on_camera = () => session.keep();
  view.on_draw = () => legend.draw();
  void view.drawn().then(() => {
    window.coluber.firstFrame = performance.now();
    tell_ready();
  });
  view.request();
}

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
load_runs().then(start).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ReplayError) complain('This run cannot be shown', message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? '' : '.'));
  else complain('The viewer failed', `${message}. Please report this with the file that shows it.`);
});
