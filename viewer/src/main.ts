import './style.css';

import { load_runs, type Run } from './load.ts';
import { colours, make_series, Plot } from './plot.ts';
import { frame_at, make_groups, make_vectors, ReplayError, type Group } from './replay.ts';
import { dark, light, round_down, SceneView, tenth_pixels, type CameraName } from './scene.ts';
import { flatten, format_number, format_value, figure } from './words.ts';

declare const COLUBER_VIEWER_VERSION: string;

function at<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

function make(tag: string, text = '', name = ''): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
}

function complain(title: string, message: string, notice = false): void {
  const box = make('div');
  box.append(make('h2', title), make('p', message));
  if (notice) {
    const close = make('button', 'Close') as HTMLButtonElement;
    close.addEventListener('click', () => (at('alert').hidden = true));
    box.append(close);
  }
  at('alert').classList.toggle('notice', notice);
  at('alert').replaceChildren(box);
  at('alert').hidden = false;
}

interface Api {
  ready: boolean;
  version: string;
  readonly time: number;
  readonly frame: number;
  readonly playing: boolean;
  seek(t: number): void;
  play(): void;
  pause(): void;
  poseOf(name: string, run?: number): number[] | null;
  pixels(): { width: number; height: number; data: Uint8Array } | null;
  arrows(): { forces: number; vectors: number }[] | null; // drawn now, by run
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

// ---------------------------------------------------------------------------------------------

function start(runs: Run[]): void {
  const first = runs[0]!;
  const replay = first.replay;
  const time = replay.time;
  const t_first = time[0]!;
  const t_last = Math.max(...runs.map((r) => r.replay.time[r.replay.frames - 1]!));
  const hash = new URLSearchParams(location.hash.slice(1));
  const narrow = matchMedia('(max-width: 760px), (max-height: 480px)').matches;

  const groups = runs.map((run) => make_groups(run.replay));
  const links = replay.bodies.filter((b) => replay.fields.some((f) => f.kind === 'pose' && f.body === b.name));
  const middle = links[Math.ceil(links.length / 2) - 1]?.name ?? '';
  const plot_group = () => groups[0]!.find((g) => g.name === state.plot) ?? groups[0]![0];
  const default_members = (group: Group | undefined) =>
    new Set((group?.channels ?? []).filter((_, i, all) => all.length <= 4 || i === 0 || i === all.length - 1 || i === all.length >> 1).map((c) => c.key));
  const colour_groups = groups[0]!.filter((g) => links.length > 1 && (g.channels.length === links.length || g.channels.length === links.length - 1));
  const wanted = (name: string) => groups[0]!.find((g) => g.name === name)?.name;

  const state = {
    t: Number(hash.get('t') ?? t_first) || t_first,
    playing: false,
    speed: Number(hash.get('speed')) || 1,
    loop: hash.get('loop') === '1',
    theme: hash.get('theme') ?? '',
    plot: hash.get('plot') ?? wanted('joint_torque') ?? groups[0]![0]?.name ?? '',
    members: new Set<string>(),
    trails: new Set((hash.get('trails') ?? middle).split(',').filter((n) => links.some((b) => b.name === n))),
    forces: hash.get('forces') !== '0',
    vectors: hash.get('vectors') ?? make_vectors(replay)[0]?.name ?? '',
    force_size: Number(hash.get('arrow') ?? 0) || 0,
    colour: hash.get('colour') ?? (colour_groups.some((g) => g.name === 'joint_torque') ? 'joint_torque' : ''),
    ghost: hash.get('ghost') !== '0',
    shadows: false,
    panel: hash.has('panel') ? hash.get('panel') === '1' : !narrow,
  };
  state.members = hash.has('series') ? new Set(hash.get('series')!.split(',')) : default_members(plot_group());

  let view: SceneView | null = null;
  try {
    view = new SceneView(at<HTMLCanvasElement>('scene'), runs.map((r) => r.replay));
  } catch {
    complain('No picture', 'This browser gives no WebGL 2, so the scene cannot be drawn. Figures and plots work.', true);
  }
  state.shadows = hash.has('shadows') ? hash.get('shadows') === '1' : true;

  // Words -----------------------------------------------------------------------------------------
  document.title = `${first.title} · Coluber`;
  at('title').textContent = runs.length > 1 && runs[1]!.title !== first.title ? `${first.title}  |  ${runs[1]!.title}` : first.title;
  const robot = typeof first.scenario.robot === 'object' && first.scenario.robot !== null ? (first.scenario.robot as Record<string, unknown>) : {};
  const tilt = typeof first.scenario.world === 'object' && first.scenario.world !== null ? (first.scenario.world as Record<string, unknown>).tilt_deg : 0;
  at('subtitle').textContent = [
    robot.name || robot.model ? [robot.name, robot.model && `${robot.model} model`].filter(Boolean).join(', ') : '',
    links.length > 0 ? `${links.length} ${links.every((b) => b.name.startsWith('link_')) ? 'links' : 'moving bodies'}` : '',
    typeof tilt === 'number' && tilt !== 0 ? `slope ${format_number(tilt)}°` : '',
    `${format_number(t_last - t_first)} s at ${format_number(replay.rate)} Hz`,
    first.status && first.status !== 'completed' ? `${first.status}` : '',
  ].filter(Boolean).join(' · ');

  const rows = (table: HTMLElement, lines: { name: string; cells: string[]; unit?: string; differs?: boolean }[]) => {
    table.replaceChildren(...lines.map((line) => {
      const row = make('tr', '', line.differs ? 'differs' : '');
      row.append(make('td', line.name));
      line.cells.forEach((cell) => {
        const td = make('td', cell);
        if (line.unit && cell !== '–') td.append(make('small', ` ${line.unit}`));
        row.append(td);
      });
      return row;
    }));
  };
  const keys = [...new Set(runs.flatMap((r) => Object.keys(r.summary)))].filter((key) => key !== 'final_state');
  const head = runs.length > 1 ? [{ name: '', cells: runs.map((r) => r.name) }] : [];
  rows(at('figures'), [...head, ...keys.map((key) => {
    const parts = runs.map((r) => (key in r.summary ? figure(key, r.summary[key], r.units[key]) : { name: key, value: '–', unit: '' }));
    const unit = parts.find((p) => p.unit)?.unit ?? '';
    return runs.length > 1 ? { name: unit ? `${parts[0]!.name}, ${unit}` : parts[0]!.name, cells: parts.map((p) => p.value) } : { name: parts[0]!.name, cells: [parts[0]!.value], unit };
  })]);
  if (keys.length === 0) rows(at('figures'), [{ name: 'no summary in this run', cells: [] }]);
  const warnings = runs.flatMap((r) => r.warnings);
  at('warnings').hidden = warnings.length === 0;
  at('warnings').replaceChildren(...warnings.map((w) => make('li', w)));

  const flat = runs.map((r) => flatten(r.scenario));
  const names = [...new Set(flat.flatMap((f) => [...f.keys()]))];
  const parameters = names.map((name) => {
    const cells = flat.map((f) => format_value(f.get(name)));
    return { name, cells, differs: new Set(cells).size > 1 };
  });
  rows(at('parameters'), [...head, ...parameters.filter((p) => p.differs), ...parameters.filter((p) => !p.differs)]);
  if (runs.length > 1) at<HTMLDetailsElement>('parameters_box').open = parameters.some((p) => p.differs);
  at('parameters_box').hidden = names.length === 0;

  const packing = replay.packing;
  rows(at('about'), [
    { name: 'Coluber', cells: [first.version || 'unknown'] },
    { name: 'viewer', cells: [COLUBER_VIEWER_VERSION] },
    { name: 'frames', cells: [String(replay.frames)] },
    { name: 'data', cells: [`${format_number(packing.bytes / 1000, 4)} kB, ${packing.encoding}`] },
    ...(packing.bytes !== packing.raw ? [{ name: 'as float32', cells: [`${format_number(packing.raw / 1000, 4)} kB (${format_number((100 * packing.bytes) / packing.raw, 3)} % stored)`] }] : []),
    ...packing.steps.map((s) => ({ name: `rounding of ${s.kind}`, cells: [s.step > 0 ? `± ${format_number(s.step / 2, 2)}` : 'none'], unit: s.step > 0 ? s.unit : '' })),
    ...runs.flatMap((r) => ('final_state' in r.summary ? [{ name: 'final state', cells: [format_value(r.summary.final_state)] }] : [])),
    ...(replay.skipped.length > 0 ? [{ name: 'not shown', cells: [`fields of kind ${replay.skipped.join(', ')}`] }] : []),
  ]);
  if (runs.length > 1) {
    at('runs_legend').hidden = false;
    document.body.classList.add('two');
    at('runs_legend').replaceChildren(...runs.map((run, i) => {
      const row = make('div');
      row.append(make('i', '', i > 0 ? 'second' : ''), make('span', `${run.name}${run.title !== runs[1 - i]!.title ? `: ${run.title}` : ''}${i > 0 ? ' (ghost, dashed)' : ''}`));
      return row;
    }));
  }

  // Scene options -----------------------------------------------------------------------------------
  const force_typical = view ? Math.max(0, ...view.actors.map((a) => a.force_typical)) : 0;
  // the size of arrows goes with that of the bodies
  const extent = links.map((b) => b.size[0] ?? 0).filter((r) => r > 0).sort((p, q) => p - q)[links.length >> 1] ?? 0.03;
  const thick = 0.1 * extent;
  // a large force of the run is four to ten body radii long, on a round scale; peaks may be longer
  const force_scale = () => (force_typical > 0 ? round_down((10 * extent) / force_typical) * 10 ** state.force_size : 0);
  const vectors = runs.map((run) => make_vectors(run.replay).filter((v) => v.fields.some((f) => f.body !== null)));
  const vector_sizes = new Map<string, number>();
  const vector_scale = () => {
    let size = vector_sizes.get(state.vectors);
    if (size === undefined) {
      size = view ? Math.max(0, ...view.actors.map((a, i) => a.vector_typical(vectors[i]!.find((v) => v.name === state.vectors)))) : 0;
      vector_sizes.set(state.vectors, size);
    }
    return size > 0 ? round_down((10 * extent) / size) * 10 ** state.force_size : 0;
  };
  const ranges = new Map<string, number>();
  const one_sided = new Set<string>(); // never below zero
  const range_of = (name: string) => {
    let range = ranges.get(name);
    if (range === undefined) {
      // 98 in 100 values lie within the colours, the rest have the end's colour
      const sizes: number[] = [];
      groups.forEach((gs, i) => gs.find((g) => g.name === name)?.channels.forEach((c) => {
        const { frames } = runs[i]!.replay;
        for (let k = 0; k < frames; k += Math.max(1, Math.floor(frames / 500))) sizes.push(c.read(k));
      }));
      if (!sizes.some((x) => x < 0)) one_sided.add(name);
      const sorted = sizes.filter(Number.isFinite).map(Math.abs).sort((p, q) => p - q);
      range = Number((sorted[Math.floor(0.98 * sorted.length)] ?? 0).toPrecision(2));
      if (range < 1e-9) range = 0; // rounding errors of something that is zero
      ranges.set(name, range);
    }
    return range || 1;
  };
  const draw_extras = () => {
    if (!view) return;
    view.actors.forEach((actor, i) => {
      actor.group.visible = i === 0 || state.ghost;
      actor.set_forces(state.forces ? force_scale() : 0, thick);
      actor.set_vectors(vectors[i]!.find((v) => v.name === state.vectors), vector_scale(), thick);
      const group = groups[i]!.find((g) => g.name === state.colour);
      if (group && colour_groups.some((g) => g.name === state.colour)) {
        const range = range_of(state.colour);
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
    const bar = at('scale').querySelector('i')!;
    bar.style.width = `${(length * pixels).toFixed(1)}px`;
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
    arrow('force_scale', state.forces ? force_scale() : 0, force_typical, 'contact force', 'N');
    const family = vectors[0]!.find((v) => v.name === state.vectors);
    arrow('vector_scale', family ? vector_scale() : 0, vector_sizes.get(state.vectors) ?? 0, family?.label ?? '', family?.unit ?? '');
  };
  const draw_ramp = () => {
    const group = colour_groups.find((g) => g.name === state.colour);
    at('ramp').hidden = !group;
    if (!group) return;
    const [low, high] = at('ramp').querySelectorAll('span');
    const range = range_of(state.colour);
    const positive = one_sided.has(state.colour);
    low!.textContent = positive ? `${group.label}  0` : `${group.label}  ≤ −${format_number(range, 3)}`;
    high!.textContent = `≥ ${format_number(range, 3)} ${group.unit}`;
    at('ramp').querySelector('i')!.style.background = `linear-gradient(90deg, ${positive ? '' : 'rgb(33 102 209), '}rgb(219 219 219), rgb(204 41 36))`;
  };

  // Time --------------------------------------------------------------------------------------------
  const scrubber = at<HTMLInputElement>('scrubber');
  scrubber.min = String(t_first);
  scrubber.max = String(t_last);
  const plot = new Plot(at('plot'), at('playhead'), runs.length > 1 ? [...runs].sort((p, q) => q.replay.time[q.replay.frames - 1]! - p.replay.time[p.replay.frames - 1]!)[0]!.replay.time : time, (t) => {
    seek(t);
  });
  let frame = -1;
  const digits = Math.max(2, Math.min(4, Math.ceil(Math.log10(replay.rate))));
  const show_time = () => {
    scrubber.value = String(state.t);
    at('clock').textContent = `${state.t.toFixed(digits)} / ${t_last.toFixed(digits)} s`;
    plot.set_time(state.t);
    const now = frame_at(time, state.t);
    const moved = now !== frame || runs.length > 1;
    frame = now;
    if (view && moved) {
      runs.forEach((run, i) => view.set_frame(i, frame_at(run.replay.time, state.t)));
      draw_extras();
    }
    const group = plot_group();
    const chosen = group?.channels.filter((c) => state.members.has(c.key)) ?? [];
    at('readout').textContent = chosen.slice(0, 4).map((c) => `${c.key ? `${c.key}: ` : ''}${format_number(c.read(frame), 3)}`).join(' · ') + (chosen.length > 4 ? ' …' : '') + (group?.unit ? ` ${group.unit}` : '');
  };
  const seek = (t: number) => {
    state.t = Math.max(t_first, Math.min(t_last, Number.isFinite(t) ? t : t_first));
    show_time();
    keep();
  };
  let last = 0;
  const tick = (now: number) => {
    if (!state.playing) return;
    const passed = Math.min(0.25, (now - last) / 1000);
    last = now;
    let t = state.t + passed * state.speed;
    if (t >= t_last) {
      if (state.loop) t = t_first + ((t - t_first) % Math.max(1e-9, t_last - t_first));
      else {
        t = t_last;
        set_playing(false);
      }
    }
    state.t = t;
    show_time();
    if (state.playing) requestAnimationFrame(tick);
  };
  const set_playing = (on: boolean) => {
    if (on === state.playing) return;
    state.playing = on;
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
    seek(time[Math.max(0, Math.min(replay.frames - 1, frame + by))]!);
  };

  // Plot --------------------------------------------------------------------------------------------
  const pick = at<HTMLSelectElement>('channel');
  pick.replaceChildren(...groups[0]!.map((g) => {
    const option = make('option', g.unit ? `${g.label} (${g.unit})` : g.label) as HTMLOptionElement;
    option.value = g.name;
    return option;
  }));
  const chip = (key: string, title: string, on: boolean, act: (on: boolean, alone: boolean) => void, mark = ''): HTMLElement => {
    const button = make('button', key);
    button.setAttribute('type', 'button');
    button.title = title;
    button.setAttribute('aria-pressed', String(on));
    if (mark) button.style.setProperty('--mark', mark);
    button.addEventListener('click', (event) => act(button.getAttribute('aria-pressed') !== 'true', event.shiftKey || event.altKey));
    return button;
  };
  const draw_plot = () => {
    const group = plot_group();
    if (!group) return;
    pick.value = group.name;
    const all = group.channels.every((c) => state.members.has(c.key));
    const several = group.channels.length > 1;
    at('members').replaceChildren(
      ...(several ? [chip('all', all ? 'none' : 'all', all, (on) => {
        state.members = on ? new Set(group.channels.map((c) => c.key)) : new Set([group.channels[0]!.key]);
        draw_plot();
        keep();
      })] : []),
      ...(several ? group.channels : []).map((c) => chip(c.key, `${c.title} (shift: only this)`, state.members.has(c.key), (on, alone) => {
        if (alone) state.members = new Set([c.key]);
        else if (on) state.members.add(c.key);
        else state.members.delete(c.key);
        draw_plot();
        keep();
      }, colours[Math.max(0, group.channels.filter((d) => state.members.has(d.key)).indexOf(c)) % colours.length]!)),
    );
    const clock = plot_time();
    const series = runs.flatMap((run, i) => {
      const g = groups[i]!.find((other) => other.name === group.name);
      return g && (i === 0 || state.ghost) ? make_series(g, state.members, run.replay, clock, i > 0) : [];
    });
    plot.show(series, group.unit ? `${group.label}, ${group.unit}` : group.label);
    show_time();
  };
  const plot_time = () => (runs.length > 1 && runs[1]!.replay.time[runs[1]!.replay.frames - 1]! > time[time.length - 1]! ? runs[1]!.replay.time : time);
  pick.addEventListener('change', () => {
    state.plot = pick.value;
    state.members = default_members(plot_group());
    draw_plot();
    keep();
  });

  // Controls ----------------------------------------------------------------------------------------
  const theme_of = () => (state.theme === 'dark' || state.theme === 'light' ? state.theme : matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const set_theme = () => {
    const theme = theme_of();
    document.documentElement.dataset.theme = theme;
    view?.set_palette(theme === 'dark' ? dark : light);
    const style = getComputedStyle(document.documentElement);
    plot.set_theme(style.getPropertyValue('--soft').trim(), style.getPropertyValue('--line').trim());
  };
  const set_camera = (name: CameraName) => {
    if (view && view.camera_kind !== name) view.set_camera(name);
    for (const button of document.querySelectorAll<HTMLElement>('[data-camera]')) {
      button.setAttribute('aria-checked', String(button.dataset.camera === name));
    }
    draw_legend();
    keep();
  };
  const set_trails = () => {
    const few = links.length > 16 ? links.filter((_, i) => i === 0 || i === links.length - 1 || (i + 1) % Math.ceil(links.length / 14) === 0) : links;
    at('trails').replaceChildren(...few.map((b) => chip(b.name.replace(/^link_/, ''), `trail of ${b.name.replace(/_/g, ' ')}`, state.trails.has(b.name), (on) => {
      if (on) state.trails.add(b.name);
      else state.trails.delete(b.name);
      set_trails();
      keep();
    })));
    view?.actors.forEach((a) => a.set_trails(state.trails, view.ground_z < -1e-6 ? view.ground_z + 0.02 * extent : 0));
    view?.request();
  };
  const set_panel = () => {
    document.body.classList.toggle('no_panel', !state.panel);
    at('panel_toggle').setAttribute('aria-expanded', String(state.panel));
  };
  const save_picture = () => {
    if (!view) return;
    const name = `${first.title.replace(/[^\p{L}\p{N}]+/gu, '_').slice(0, 60)}_${state.t.toFixed(digits)}s.png`;
    view.picture().toBlob((blob) => {
      if (!blob) return;
      const link = document.createElement('a');
      link.download = name;
      link.href = URL.createObjectURL(blob);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  };
  const speed = at<HTMLSelectElement>('speed');
  const speeds = [...speed.options].map((o) => Number(o.value));
  const set_speed = (value: number) => {
    state.speed = speeds.reduce((best, s) => (Math.abs(Math.log(s / value)) < Math.abs(Math.log(best / value)) ? s : best), 1);
    speed.value = String(state.speed);
    keep();
  };
  const set_loop = (on: boolean) => {
    state.loop = on;
    at('loop').setAttribute('aria-pressed', String(on));
    keep();
  };
  const set_forces = (on: boolean) => {
    state.forces = at<HTMLInputElement>('forces').checked = on;
    draw_extras();
    draw_legend();
    keep();
  };

  // The address keeps the view; written a moment after the last change.
  let timer = 0;
  const keep = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const kept = new URLSearchParams();
      kept.set('t', state.t.toFixed(digits));
      if (view) {
        kept.set('cam', view.camera_kind);
        if (view.view) kept.set('view', view.view.map((x) => +x.toPrecision(6)).join(','));
      }
      kept.set('plot', state.plot);
      kept.set('series', [...state.members].join(','));
      kept.set('trails', [...state.trails].join(','));
      kept.set('forces', state.forces ? '1' : '0');
      if (state.force_size !== 0) kept.set('arrow', String(state.force_size));
      if (vectors[0]!.length > 0) kept.set('vectors', state.vectors);
      kept.set('colour', state.colour);
      if (state.speed !== 1) kept.set('speed', String(state.speed));
      if (state.loop) kept.set('loop', '1');
      if (state.theme) kept.set('theme', state.theme);
      if (!state.ghost) kept.set('ghost', '0');
      if (!state.shadows) kept.set('shadows', '0');
      if (state.panel === narrow) kept.set('panel', state.panel ? '1' : '0');
      history.replaceState(null, '', `#${kept.toString().replace(/%2C/g, ',')}`);
    }, 250);
  };

  scrubber.addEventListener('input', () => seek(Number(scrubber.value)));
  at('play').addEventListener('click', () => set_playing(!state.playing));
  at('back').addEventListener('click', () => step(-1));
  at('forward').addEventListener('click', () => step(1));
  speed.addEventListener('change', () => set_speed(Number(speed.value)));
  at('loop').addEventListener('click', () => set_loop(!state.loop));
  for (const button of document.querySelectorAll<HTMLElement>('[data-camera]')) {
    button.addEventListener('click', () => set_camera(button.dataset.camera as CameraName));
  }
  at('fit').addEventListener('click', () => {
    view?.fit();
    keep();
  });
  at('screenshot').addEventListener('click', save_picture);
  const toggle_theme = () => {
    state.theme = theme_of() === 'dark' ? 'light' : 'dark';
    set_theme();
    keep();
  };
  at('theme').addEventListener('click', toggle_theme);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', set_theme);
  const dialog = at<HTMLDialogElement>('keys');
  const toggle_help = () => (dialog.open ? dialog.close() : dialog.showModal());
  at('help').addEventListener('click', toggle_help);
  const toggle_panel = () => {
    state.panel = !state.panel;
    set_panel();
    keep();
  };
  at('panel_toggle').addEventListener('click', toggle_panel);
  at('forces').addEventListener('change', () => set_forces(at<HTMLInputElement>('forces').checked));
  const size = at<HTMLInputElement>('force_size');
  size.value = String(state.force_size);
  size.addEventListener('input', () => {
    state.force_size = Number(size.value);
    if (force_typical > 0) set_forces(true);
    draw_extras();
    draw_legend();
    keep();
  });
  const colour = at<HTMLSelectElement>('colour');
  colour.append(make('option', 'body'));
  colour.options[0]!.value = '';
  for (const g of colour_groups) {
    const option = make('option', g.label) as HTMLOptionElement;
    option.value = g.name;
    colour.append(option);
  }
  colour.value = colour_groups.some((g) => g.name === state.colour) ? state.colour : '';
  state.colour = colour.value;
  colour.addEventListener('change', () => {
    state.colour = colour.value;
    draw_extras();
    draw_ramp();
    keep();
  });
  const ghost = at<HTMLInputElement>('ghost');
  at('ghost_row').hidden = runs.length < 2;
  const set_ghost = (on: boolean) => {
    state.ghost = ghost.checked = on;
    draw_extras();
    draw_plot();
    keep();
  };
  ghost.checked = state.ghost;
  ghost.addEventListener('change', () => set_ghost(ghost.checked));
  const shadows = at<HTMLInputElement>('shadows');
  shadows.checked = state.shadows;
  shadows.addEventListener('change', () => {
    state.shadows = shadows.checked;
    view?.set_shadows(state.shadows);
    keep();
  });
  at('force_row').hidden = force_typical === 0 && vectors[0]!.length === 0;
  const vector_pick = at<HTMLSelectElement>('vectors');
  at('vector_row').hidden = vectors[0]!.length === 0;
  vector_pick.replaceChildren(...[{ name: '', label: 'none', unit: '' }, ...vectors[0]!].map((v) => {
    const option = make('option', v.unit ? `${v.label} (${v.unit})` : v.label) as HTMLOptionElement;
    option.value = v.name;
    return option;
  }));
  if (!vectors[0]!.some((v) => v.name === state.vectors)) state.vectors = '';
  vector_pick.value = state.vectors;
  vector_pick.addEventListener('change', () => {
    state.vectors = vector_pick.value;
    draw_extras();
    draw_legend();
    keep();
  });

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLSelectElement) return;
    const cameras: CameraName[] = ['orbit', 'top', 'side', 'follow'];
    const act: Record<string, () => void> = {
      ' ': () => set_playing(!state.playing),
      ',': () => step(-1),
      '.': () => step(1),
      ArrowLeft: () => seek(state.t - 0.5),
      ArrowRight: () => seek(state.t + 0.5),
      Home: () => seek(t_first),
      End: () => seek(t_last),
      '+': () => set_speed(speeds[Math.min(speeds.length - 1, speeds.indexOf(state.speed) + 1)]!),
      '-': () => set_speed(speeds[Math.max(0, speeds.indexOf(state.speed) - 1)]!),
      l: () => set_loop(!state.loop),
      0: () => view?.fit(),
      f: () => set_forces(!state.forces),
      t: () => {
        if (state.trails.has(middle)) state.trails.delete(middle);
        else state.trails.add(middle);
        set_trails();
        keep();
      },
      g: () => runs.length > 1 && set_ghost(!state.ghost),
      c: save_picture,
      d: toggle_theme,
      i: toggle_panel,
      '?': toggle_help,
    };
    cameras.forEach((name, i) => (act[String(i + 1)] = () => set_camera(name)));
    act['='] = act['+']!;
    const todo = act[event.key];
    if (!todo || (dialog.open && event.key !== '?')) return;
    event.preventDefault();
    if (event.target instanceof HTMLButtonElement) event.target.blur();
    todo();
  });

  // Begin -------------------------------------------------------------------------------------------
  set_panel();
  set_theme();
  set_trails();
  at<HTMLInputElement>('forces').checked = state.forces;
  set_speed(state.speed);
  set_loop(state.loop);
  draw_plot();
  draw_ramp();
  state.t = Math.max(t_first, Math.min(t_last, state.t));
  show_time();
  const kept_camera = hash.get('cam');
  const cameras = ['orbit', 'top', 'side', 'follow'];
  set_camera((kept_camera !== null && cameras.includes(kept_camera) ? kept_camera : runs.length === 1 && (narrow || view?.travels) ? 'follow' : 'orbit') as CameraName);
  if (view) {
    view.set_shadows(state.shadows);
    view.fit();
    if (hash.has('view')) view.view = hash.get('view')!.split(',').map(Number);
    view.on_camera = keep;
    view.on_draw = draw_legend;
    void view.drawn().then(() => {
      window.coluber.firstFrame = performance.now();
      window.coluber.ready = true;
    });
    view.request();
  } else {
    window.coluber.ready = true;
  }

  Object.defineProperties(window.coluber, {
    time: { get: () => state.t },
    frame: { get: () => frame },
    playing: { get: () => state.playing },
  });
  Object.assign(window.coluber, {
    seek,
    play: () => set_playing(true),
    pause: () => set_playing(false),
    poseOf: (name: string, run = 0) => view?.actors[run]?.pose_of(name) ?? null,
    pixels: () => view?.pixels() ?? null,
    arrows: () => view?.actors.map((a) => ({ forces: a.forces.count, vectors: a.vectors.count })) ?? null,
    plot: () => plot.data,
    view: () => view?.view ?? null,
    playheadTime: () => plot.playhead_time(),
    drawn: () => {
      view?.request();
      return view?.drawn() ?? Promise.resolve();
    },
  });
}

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
load_runs().then(start).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ReplayError) complain('This run cannot be shown', message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? '' : '.'));
  else complain('The viewer failed', `${message}. Please report this with the file that shows it.`);
});
