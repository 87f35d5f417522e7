// Buttons and keys: camera, theme, panel, picture, help, and those of the other parts of the page.

import { camera_names, type CameraName } from '../address.ts';
import { at } from '../dom.ts';
import { compose_picture } from '../picture.ts';
import { dark, light } from '../scene/palette.ts';
import type { Legend } from './legend.ts';
import type { Options } from './options.ts';
import type { PlotBar } from './plot_bar.ts';
import type { Session } from './session.ts';
import type { Timeline } from './timeline.ts';

export class Controls {
  private readonly camera_buttons = document.querySelectorAll<HTMLElement>('[data-camera]');
  private readonly dialog = at<HTMLDialogElement>('keys');

  constructor(
    private readonly session: Session,
    private readonly timeline: Timeline,
    private readonly plot_bar: PlotBar,
    private readonly options: Options,
    private readonly legend: Legend,
  ) {
    this.listen_to_buttons();
    this.listen_to_keys();
  }

  private get theme(): 'light' | 'dark' {
    return this.session.state.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }

  set_theme(): void {
    const root = document.documentElement;
    const palette = this.theme === 'dark' ? dark : light;
    root.dataset.theme = this.theme;
    root.style.setProperty('--force', palette.force);
    root.style.setProperty('--vector', palette.vector);
    this.session.view?.set_palette(palette);
    const style = getComputedStyle(root);
    this.plot_bar.plot.set_theme(style.getPropertyValue('--soft').trim(), style.getPropertyValue('--line').trim());
  }

  private toggle_theme(): void {
    this.session.state.theme = this.theme === 'dark' ? 'light' : 'dark';
    this.set_theme();
    this.session.keep();
  }

  set_camera(name: CameraName): void {
    const { view, state } = this.session;
    state.camera = name;
    if (view && view.camera_kind !== name) view.set_camera(name);
    for (const button of this.camera_buttons) button.setAttribute('aria-pressed', String(button.dataset.camera === name));
    this.legend.draw();
    this.session.keep();
  }

  private fit(): void {
    this.session.view?.fit();
    this.session.keep();
  }

  set_panel(on: boolean): void {
    this.session.state.panel = on;
    document.body.classList.toggle('no_panel', !on);
    at('panel_toggle').setAttribute('aria-expanded', String(on));
    this.session.keep();
  }

  private save_picture(): void {
    const { view, first, state, digits } = this.session;
    if (!view) return;
    const name = `${first.title.replace(/[^\p{L}\p{N}]+/gu, '_').slice(0, 60)}_${state.t.toFixed(digits)}s.png`;
    compose_picture(view.picture()).toBlob((blob) => {
      if (!blob) return;
      const link = document.createElement('a');
      link.download = name;
      link.href = URL.createObjectURL(blob);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  private toggle_help(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  private listen_to_buttons(): void {
    const { timeline, session } = this;
    for (const button of this.camera_buttons) button.addEventListener('click', () => this.set_camera(button.dataset.camera as CameraName));
    const clicks: Record<string, () => void> = {
      play: () => timeline.set_playing(!timeline.playing),
      back: () => timeline.step(-1),
      forward: () => timeline.step(1),
      loop: () => timeline.set_loop(!session.state.loop),
      fit: () => this.fit(),
      screenshot: () => this.save_picture(),
      theme: () => this.toggle_theme(),
      help: () => this.toggle_help(),
      panel_toggle: () => this.set_panel(!session.state.panel),
    };
    for (const [id, act] of Object.entries(clicks)) at(id).addEventListener('click', act);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.set_theme());
    // what was pressed by hand gives the keys back; what the keyboard chose keeps them
    document.addEventListener('click', (event) => {
      const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>('button, summary, input[type=checkbox]') : null;
      if (event.detail > 0) pressed?.blur();
    });
  }

  private listen_to_keys(): void {
    const { timeline, session, options } = this;
    const { state } = session;
    const repeating: Record<string, () => void> = {
      ',': () => timeline.step(-1),
      '.': () => timeline.step(1),
      ArrowLeft: () => timeline.seek(state.t - 0.5),
      ArrowRight: () => timeline.seek(state.t + 0.5),
      '+': () => timeline.faster(1),
      '=': () => timeline.faster(1),
      '-': () => timeline.faster(-1),
    };
    const single: Record<string, () => void> = {
      ' ': () => timeline.set_playing(!timeline.playing),
      Home: () => timeline.seek(session.t_first),
      End: () => timeline.seek(session.t_last),
      l: () => timeline.set_loop(!state.loop),
      0: () => this.fit(),
      f: () => options.toggle_forces(),
      t: () => options.toggle_trail(session.middle),
      g: () => session.runs.length > 1 && options.set_ghost(!state.ghost),
      c: () => this.save_picture(),
      d: () => this.toggle_theme(),
      i: () => this.set_panel(!state.panel),
      '?': () => this.toggle_help(),
    };
    camera_names.forEach((name, i) => (single[String(i + 1)] = () => this.set_camera(name)));
    const scrubber = at('scrubber');
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { target, key } = event;
      if (target instanceof HTMLSelectElement) return;
      // controls work as everywhere: these keys are theirs
      const own = target instanceof Element && target !== scrubber && target.closest('button, summary, input') !== null;
      if (own && [' ', 'Enter', 'ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) return;
      const todo = repeating[key] ?? single[key];
      if (!todo || (this.dialog.open && key !== '?')) return;
      event.preventDefault();
      if (!event.repeat || key in repeating) todo();
    });
  }
}
