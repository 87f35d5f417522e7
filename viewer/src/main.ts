import './style.css';

import { camera_names, read_address, write_address, type CameraName, type State } from './address.ts';
import { at, make, make_option, show_chips } from './dom.ts';
import { load_runs, type Run } from './load.ts';
import { show_words } from './panel.ts';
import { compose_picture } from './picture.ts';
import { colours, make_series, Plot } from './plot.ts';
import { find_links, frame_at, make_groups, make_vectors, ReplayError, type Group } from './replay.ts';
import { Scales } from './scales.ts';
import { dark, light, NoPictureError, round_down, SceneView, tenth_pixels, type ActorView } from './scene.ts';
import { format_number } from './words.ts';

declare const COLUBER_VIEWER_VERSION: string;

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

// What tests and other pages may ask of this one.
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
  project(x: number, y: number, z: number): number[] | null; // CSS pixels in the scene
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

function open_scene(runs: Run[]): SceneView | null {
  try {
    return new SceneView(at<HTMLCanvasElement>('scene'), runs.map((r) => r.replay));
  } catch (error) {
    if (!(error instanceof NoPictureError)) throw error;
    complain('No picture', 'This browser gives no WebGL 2, so the scene cannot be drawn. Figures and plots work.', true);
    return null;
  }
}

// ---------------------------------------------------------------------------------------------

function start(runs: Run[]): void {
  const first = runs[0]!;
  const replay = first.replay;
  const end_of = (run: Run) => run.replay.time[run.replay.frames - 1]!;
  const t_first = replay.time[0]!;
  const t_last = Math.max(...runs.map(end_of));
  const clock = runs.reduce((longest, run) => (end_of(run) > end_of(longest) ? run : longest)).replay.time; // steps and plots go by it
  const digits = Math.max(2, Math.min(4, Math.ceil(Math.log10(replay.rate))));
  const narrow = matchMedia('(max-width: 760px), (max-height: 480px)').matches;

  const groups = runs.map((run) => make_groups(run.replay));
  const vectors = runs.map((run) => make_vectors(run.replay).filter((v) => v.fields.some((f) => f.body !== null)));
  const links = find_links(replay);
  const middle = links[Math.ceil(links.length / 2) - 1]?.name ?? '';
  const colour_groups = groups[0]!.filter((g) => links.length > 1 && (g.channels.length === links.length || g.channels.length === links.length - 1));
  const find_group = (name: string): Group | undefined => groups[0]!.find((g) => g.name === name);
  const speed = at<HTMLSelectElement>('speed');
  const speeds = [...speed.options].map((o) => Number(o.value));

  const view = open_scene(runs);
  if (view) view.still = new URLSearchParams(location.hash.slice(1)).get('still') === '1';
  const scales = new Scales(view, runs, groups, vectors, links);
  show_words(runs, links, t_last - t_first);

  // State -------------------------------------------------------------------------------------------
  const choices = {
    plots: groups[0]!.map((g) => g.name),
    vectors: vectors[0]!.map((v) => v.name),
    colours: colour_groups.map((g) => g.name),
    bodies: links.map((b) => b.name),
    speeds,
    members: (plot: string) => new Set((find_group(plot)?.channels ?? []).filter((_, i, all) => all.length <= 4 || i === 0 || i === all.length - 1 || i === all.length >> 1).map((c) => c.key)),
  };
  const defaults: State = {
    t: t_first,
    camera: runs.length === 1 && (narrow || view?.travels) ? 'follow' : 'orbit',
    view: null,
    plot: find_group('joint_torque')?.name ?? choices.plots[0] ?? '',
    members: new Set(),
    trails: new Set(middle ? [middle] : []),
    forces: true,
    force_size: 0,
    vectors: choices.vectors[0] ?? '',
    colour: choices.colours.includes('joint_torque') ? 'joint_torque' : '',
    speed: 1,
    loop: false,
    theme: '',
    ghost: true,
    shadows: true,
    panel: !narrow,
  };
  const state = read_address(location.hash, defaults, choices);
  let playing = false;

  // The address keeps the view; written a moment after a change, also while playing.
  let timer = 0;
  const keep = () => {
    if (timer !== 0) return;
    timer = window.setTimeout(() => {
      timer = 0;
      state.view = view?.view ?? null;
      history.replaceState(null, '', write_address(state, defaults, digits));
    }, 400); // browsers allow about three a second
  };

  // Scene options -----------------------------------------------------------------------------------
  const draw_extras = () => {
    if (!view) return;
    view.actors.forEach((actor, i) => {
      actor.group.visible = i === 0 || state.ghost;
      actor.set_forces(state.forces ? scales.force(state.force_size) : 0, scales.thick);
      actor.set_vectors(vectors[i]!.find((v) => v.name === state.vectors), scales.vector(state.vectors, state.force_size), scales.thick);
      const group = state.colour ? groups[i]!.find((g) => g.name === state.colour) : undefined;
      if (group) {
        const range = scales.range(state.colour);
        actor.set_colours(group.channels.length === actor.links.length ? 'links' : 'joints', (j) => (group.channels[j]?.read(actor.frame) ?? 0) / range);
      } else {
        actor.set_colours(null, () => 0);
      }
    });
    view.request();
  };
  const draw_legend = () => {
    if (!view) return;
    const pixels = view.pixels_per_metre();
    const length = round_down(Math.max(1e-9, (innerWidth < 760 ? 90 : 160) / pixels));
    at('scale').querySelector('i')!.style.width = `${(length * pixels).toFixed(1)}px`;
    const metres = (x: number) => (x >= 1 ? `${+x.toPrecision(3)} m` : x >= 0.01 ? `${+(100 * x).toPrecision(3)} cm` : `${+(1000 * x).toPrecision(3)} mm`);
    at('scale').querySelector('span')!.textContent = `${metres(length)} · grid ${metres(view.cell * (0.1 * view.cell * pixels > tenth_pixels ? 0.1 : 1))}`;
    const arrow = (id: string, scale: number, typical: number, label: string, unit: string) => {
      at(id).hidden = !(scale > 0);
      if (!(scale > 0)) return;
      // a size that occurs, unless it would be too short to see
      const size = round_down(Math.min((innerWidth < 760 ? 70 : 120) / (scale * pixels), Math.max(typical, 40 / (scale * pixels))));
      at(id).querySelector('i')!.style.width = `${(size * scale * pixels).toFixed(1)}px`;
      at(id).querySelector('span')!.textContent = `${label} ${format_number(size, 3)} ${unit}`.trim();
    };
    arrow('force_scale', state.forces ? scales.force(state.force_size) : 0, scales.force_typical, 'contact force', 'N');
    const family = vectors[0]!.find((v) => v.name === state.vectors);
    arrow('vector_scale', family ? scales.vector(state.vectors, state.force_size) : 0, scales.vector_typical(state.vectors), family?.label ?? '', family?.unit ?? '');
  };
  const draw_ramp = () => {
    const group = colour_groups.find((g) => g.name === state.colour);
    at('ramp').hidden = !group;
    if (!group) return;
    const [low, high] = at('ramp').querySelectorAll('span');
    const range = scales.range(state.colour);
    const positive = scales.is_positive(state.colour);
    low!.textContent = positive ? `${group.label}  0` : `${group.label}  ≤ −${format_number(range, 3)}`;
    high!.textContent = `≥ ${format_number(range, 3)} ${group.unit}`;
    at('ramp').querySelector('i')!.style.background = `linear-gradient(90deg, ${positive ? '' : 'rgb(33 102 209), '}rgb(219 219 219), rgb(204 41 36))`;
  };
  const draw_scene_options = () => {
    at<HTMLInputElement>('forces').checked = state.forces;
    at<HTMLInputElement>('force_size').value = String(state.force_size);
    at<HTMLSelectElement>('vectors').value = state.vectors;
    at<HTMLSelectElement>('colour').value = state.colour;
    at<HTMLInputElement>('ghost').checked = state.ghost;
    at<HTMLInputElement>('shadows').checked = state.shadows;
    view?.set_shadows(state.shadows);
    draw_extras();
    draw_legend();
    draw_ramp();
    keep();
  };

  // Time --------------------------------------------------------------------------------------------
  const scrubber = at<HTMLInputElement>('scrubber');
  scrubber.min = String(t_first);
  scrubber.max = String(t_last);
  const plot = new Plot(at('plot'), at('playhead'), clock, (t) => seek(t));
  let now = -1; // the frame shown, counted on the clock
  const frame_of = (run: Run) => (run.replay.time === clock ? now : frame_at(run.replay.time, state.t));
  const is_over = (run: Run) => state.t > end_of(run) + 0.5 / run.replay.rate;
  const show_time = (frame = frame_at(clock, state.t)) => {
    scrubber.value = String(state.t);
    at('clock').textContent = `${state.t.toFixed(digits)} / ${t_last.toFixed(digits)} s`;
    plot.set_time(state.t);
    const moved = frame !== now || runs.length > 1;
    now = frame;
    if (view && moved) {
      runs.forEach((run, i) => view.set_frame(i, frame_of(run)));
      draw_extras();
    }
    const group = find_group(state.plot);
    const chosen = group?.channels.filter((c) => state.members.has(c.key)) ?? [];
    const value = (c: Group['channels'][number]) => (is_over(first) ? '–' : format_number(c.read(frame_of(first)), 3));
    at('readout').textContent = chosen.slice(0, 4).map((c) => `${c.key ? `${c.key}: ` : ''}${value(c)}`).join(' · ') + (chosen.length > 4 ? ' …' : '') + (group?.unit ? ` ${group.unit}` : '');
  };
  const seek = (t: number, frame?: number) => {
    state.t = Math.max(t_first, Math.min(t_last, Number.isFinite(t) ? t : t_first));
    show_time(frame);
    keep();
  };
  let last = 0;
  const tick = (ms: number) => {
    if (!playing) return;
    const passed = Math.min(0.25, (ms - last) / 1000);
    last = ms;
    let t = state.t + passed * state.speed;
    if (t >= t_last) {
      if (state.loop) t = t_first + ((t - t_first) % Math.max(1e-9, t_last - t_first));
      else {
        t = t_last;
        set_playing(false);
      }
    }
    seek(t);
    if (playing) requestAnimationFrame(tick);
  };
  const set_playing = (on: boolean) => {
    if (on === playing) return;
    playing = on;
    document.body.classList.toggle('playing', on);
    at('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
    if (on) {
      if (state.t >= t_last) state.t = t_first;
      last = performance.now();
      requestAnimationFrame(tick);
    }
    keep();
  };
  const step = (by: number) => {
    set_playing(false);
    const frame = Math.max(0, Math.min(clock.length - 1, now + by));
    seek(clock[frame]!, frame);
  };
  const set_speed = (value: number) => {
    state.speed = value;
    speed.value = String(value);
    keep();
  };
  const set_loop = (on: boolean) => {
    state.loop = on;
    at('loop').setAttribute('aria-pressed', String(on));
    keep();
  };

  // Plot --------------------------------------------------------------------------------------------
  const pick = at<HTMLSelectElement>('channel');
  pick.replaceChildren(...groups[0]!.map((g) => make_option(g.name, g.unit ? `${g.label} (${g.unit})` : g.label)));
  const draw_plot = () => {
    const group = find_group(state.plot);
    if (!group) return;
    pick.value = group.name;
    const all = group.channels.every((c) => state.members.has(c.key));
    const shown = group.channels.filter((c) => state.members.has(c.key));
    const choose = (members: Set<string>) => {
      state.members = members;
      draw_plot();
      keep();
    };
    show_chips(at('members'), group.channels.length < 2 ? [] : [
      { key: 'all', title: all ? 'none' : 'all', on: all, act: (on) => choose(on ? new Set(group.channels.map((c) => c.key)) : new Set([group.channels[0]!.key])) },
      ...group.channels.map((c) => ({
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
    const series = runs.flatMap((run, i) => {
      const g = groups[i]!.find((other) => other.name === group.name);
      return g && (i === 0 || state.ghost) ? make_series(g, state.members, run.replay, clock, i > 0) : [];
    });
    plot.show(series, group.unit ? `${group.label}, ${group.unit}` : group.label);
    show_time(now < 0 ? undefined : now);
  };
  pick.addEventListener('change', () => {
    state.plot = pick.value;
    state.members = choices.members(state.plot);
    draw_plot();
    keep();
  });

  // Controls ----------------------------------------------------------------------------------------
  const theme_of = () => state.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const set_theme = () => {
    const root = document.documentElement;
    const palette = theme_of() === 'dark' ? dark : light;
    root.dataset.theme = theme_of();
    root.style.setProperty('--force', palette.force);
    root.style.setProperty('--vector', palette.vector);
    view?.set_palette(palette);
    const style = getComputedStyle(root);
    plot.set_theme(style.getPropertyValue('--soft').trim(), style.getPropertyValue('--line').trim());
  };
  const camera_buttons = document.querySelectorAll<HTMLElement>('[data-camera]');
  const set_camera = (name: CameraName) => {
    state.camera = name;
    if (view && view.camera_kind !== name) view.set_camera(name);
    for (const button of camera_buttons) button.setAttribute('aria-pressed', String(button.dataset.camera === name));
    draw_legend();
    keep();
  };
  const fit = () => {
    view?.fit();
    keep();
  };
  const set_trails = () => {
    const few = links.length > 16 ? links.filter((_, i) => i === 0 || i === links.length - 1 || (i + 1) % Math.ceil(links.length / 14) === 0) : links;
    show_chips(at('trails'), few.map((b) => ({
      key: b.name.replace(/^link_/, ''),
      title: `trail of ${b.name.replace(/_/g, ' ')}`,
      on: state.trails.has(b.name),
      act: () => toggle_trail(b.name),
    })));
    view?.actors.forEach((a) => a.set_trails(state.trails, view.ground_z < -1e-6 ? view.ground_z + 0.02 * scales.extent : 0));
    view?.request();
    keep();
  };
  const toggle_trail = (name: string) => {
    if (!state.trails.delete(name)) state.trails.add(name);
    set_trails();
  };
  const set_panel = (on: boolean) => {
    state.panel = on;
    document.body.classList.toggle('no_panel', !on);
    at('panel_toggle').setAttribute('aria-expanded', String(on));
    keep();
  };
  const save_picture = () => {
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
  };
  const set_forces = (on: boolean) => {
    state.forces = on;
    draw_scene_options();
  };
  const set_ghost = (on: boolean) => {
    state.ghost = on;
    draw_scene_options();
    draw_plot();
  };
  const toggle_theme = () => {
    state.theme = theme_of() === 'dark' ? 'light' : 'dark';
    set_theme();
    keep();
  };
  const dialog = at<HTMLDialogElement>('keys');
  const toggle_help = () => (dialog.open ? dialog.close() : dialog.showModal());

  scrubber.addEventListener('input', () => seek(Number(scrubber.value)));
  speed.addEventListener('change', () => set_speed(Number(speed.value)));
  for (const button of camera_buttons) button.addEventListener('click', () => set_camera(button.dataset.camera as CameraName));
  const clicks: Record<string, () => void> = {
    play: () => set_playing(!playing),
    back: () => step(-1),
    forward: () => step(1),
    loop: () => set_loop(!state.loop),
    fit,
    screenshot: save_picture,
    theme: toggle_theme,
    help: toggle_help,
    panel_toggle: () => set_panel(!state.panel),
  };
  for (const [id, act] of Object.entries(clicks)) at(id).addEventListener('click', act);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', set_theme);
  // what was pressed by hand gives the keys back; what the keyboard chose keeps them
  document.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>('button, summary, input[type=checkbox]') : null;
    if (event.detail > 0) pressed?.blur();
  });

  const on_change = (id: string, change: (input: HTMLInputElement) => void, kind = 'change') => {
    const input = at<HTMLInputElement>(id);
    input.addEventListener(kind, () => {
      change(input);
      draw_scene_options();
    });
  };
  on_change('forces', (input) => (state.forces = input.checked));
  on_change('force_size', (input) => {
    state.force_size = Number(input.value);
    if (scales.force_typical > 0) state.forces = true;
  }, 'input');
  on_change('vectors', (input) => (state.vectors = input.value));
  on_change('colour', (input) => (state.colour = input.value));
  on_change('shadows', (input) => (state.shadows = input.checked));
  at('ghost').addEventListener('change', () => set_ghost(at<HTMLInputElement>('ghost').checked));
  at('ghost_row').hidden = runs.length < 2;
  at('force_row').hidden = scales.force_typical === 0 && vectors[0]!.length === 0;
  at('vector_row').hidden = vectors[0]!.length === 0;
  at('colour').replaceChildren(make_option('', 'body'), ...colour_groups.map((g) => make_option(g.name, g.label)));
  at('vectors').replaceChildren(make_option('', 'none'), ...vectors[0]!.map((v) => make_option(v.name, v.unit ? `${v.label} (${v.unit})` : v.label)));

  // Keys --------------------------------------------------------------------------------------------
  const faster = (by: number) => set_speed(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(state.speed) + by))]!);
  const repeating: Record<string, () => void> = {
    ',': () => step(-1),
    '.': () => step(1),
    ArrowLeft: () => seek(state.t - 0.5),
    ArrowRight: () => seek(state.t + 0.5),
    '+': () => faster(1),
    '=': () => faster(1),
    '-': () => faster(-1),
  };
  const single: Record<string, () => void> = {
    ' ': () => set_playing(!playing),
    Home: () => seek(t_first),
    End: () => seek(t_last),
    l: () => set_loop(!state.loop),
    0: fit,
    f: () => set_forces(!state.forces),
    t: () => toggle_trail(middle),
    g: () => runs.length > 1 && set_ghost(!state.ghost),
    c: save_picture,
    d: toggle_theme,
    i: () => set_panel(!state.panel),
    '?': toggle_help,
  };
  camera_names.forEach((name, i) => (single[String(i + 1)] = () => set_camera(name)));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (target instanceof HTMLSelectElement) return;
    // controls work as everywhere: these keys are theirs
    const own = target instanceof Element && target !== scrubber && target.closest('button, summary, input') !== null;
    if (own && [' ', 'Enter', 'ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) return;
    const todo = repeating[key] ?? single[key];
    if (!todo || (dialog.open && key !== '?')) return;
    event.preventDefault();
    if (!event.repeat || key in repeating) todo();
  });

  // Begin -------------------------------------------------------------------------------------------
  const apply = () => {
    set_panel(state.panel);
    set_theme();
    set_trails();
    set_speed(state.speed);
    set_loop(state.loop);
    seek(state.t);
    draw_plot();
    const wanted = state.view;
    set_camera(state.camera);
    view?.fit();
    if (view && wanted) view.view = wanted;
    draw_scene_options();
  };
  apply();
  window.addEventListener('hashchange', (event) => {
    // not location.hash: the view of before may have been written into it since
    Object.assign(state, read_address(new URL(event.newURL).hash, defaults, choices));
    apply();
  });
  const is_ready = () => {
    window.coluber.ready = true;
    document.documentElement.dataset.ready = 'yes';
  };
  if (view) {
    view.on_camera = keep;
    view.on_draw = draw_legend;
    void view.drawn().then(() => {
      window.coluber.firstFrame = performance.now();
      is_ready();
    });
    view.request();
  } else {
    is_ready();
  }

  Object.defineProperties(window.coluber, {
    time: { get: () => state.t },
    frame: { get: () => frame_of(first) },
    playing: { get: () => playing },
  });
  Object.assign(window.coluber, {
    seek: (t: number) => seek(t),
    play: () => set_playing(true),
    pause: () => set_playing(false),
    poseOf: (name: string, run = 0) => view?.actors[run]?.pose_of(name) ?? null,
    pixels: () => view?.pixels() ?? null,
    drawnScene: () => view?.actors.map((a) => a.drawn()) ?? null,
    camera: () => view && { kind: view.camera_kind, target: view.target, position: view.camera.position.toArray(), pixelsPerMetre: view.pixels_per_metre() },
    project: (x: number, y: number, z: number) => view?.project(x, y, z) ?? null,
    plot: () => plot.data,
    view: () => view?.view ?? null,
    playheadTime: () => plot.playhead_time(),
    drawn: () => {
      view?.request();
      return view?.drawn() ?? Promise.resolve();
    },
  } satisfies Partial<Api>);
}

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
load_runs().then(start).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ReplayError) complain('This run cannot be shown', message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? '' : '.'));
  else complain('The viewer failed', `${message}. Please report this with the file that shows it.`);
});
