// What the page shows, as its address keeps it after #: one function reads it, one writes it.

export type CameraName = 'orbit' | 'top' | 'side' | 'follow';
export const camera_names: CameraName[] = ['orbit', 'top', 'side', 'follow'];

export interface State {
  t: number; // s
  camera: CameraName;
  view: number[] | null; // the camera's place, once moved by hand
  plot: string; // name of the group plotted
  members: Set<string>; // its members plotted
  trails: Set<string>; // names of bodies
  forces: boolean;
  force_size: number; // arrows are 10^force_size times as long as usual
  vectors: string; // name of the vectors drawn, or ''
  colour: string; // name of the group that colours the links, or ''
  speed: number;
  loop: boolean;
  theme: '' | 'light' | 'dark'; // '' as the system
  ghost: boolean;
  shadows: boolean;
  panel: boolean;
}

/** What may be chosen in this run; anything else in an address gives way to the default. */
export interface Choices {
  plots: string[];
  vectors: string[];
  colours: string[];
  bodies: string[];
  speeds: number[];
  members(plot: string): Set<string>; // those plotted at first
}

export function read_address(hash: string, defaults: State, choices: Choices): State {
  const kept = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (key: string, or: number): number => {
    const x = kept.get(key)?.trim() ? Number(kept.get(key)) : NaN;
    return Number.isFinite(x) ? x : or;
  };
  const flag = (key: string, or: boolean) => (kept.get(key) === '1' ? true : kept.get(key) === '0' ? false : or);
  const one_of = <T extends string>(key: string, all: readonly T[], or: T): T => all.find((name) => name === kept.get(key)) ?? or;
  const list = (key: string) => kept.get(key)?.split(',').filter(Boolean) ?? null;
  const plot = one_of('plot', choices.plots, defaults.plot);
  const trails = list('trails')?.filter((name) => choices.bodies.includes(name));
  const view = list('view')?.map(Number) ?? null;
  const speed = number('speed', 1);
  const nearest = (best: number, s: number) => (Math.abs(Math.log(s / speed)) < Math.abs(Math.log(best / speed)) ? s : best);
  return {
    t: number('t', defaults.t),
    camera: one_of('cam', camera_names, defaults.camera),
    view: view?.length === 7 && view.every(Number.isFinite) && view[6]! > 0 ? view : null,
    plot,
    members: new Set(list('series') ?? choices.members(plot)),
    trails: new Set(trails ?? defaults.trails),
    forces: flag('forces', defaults.forces),
    force_size: Math.max(-1, Math.min(1, number('arrow', 0))),
    vectors: one_of('vectors', ['', ...choices.vectors], defaults.vectors),
    colour: one_of('colour', ['', ...choices.colours], defaults.colour),
    speed: speed > 0 ? choices.speeds.reduce(nearest, 1) : 1,
    loop: flag('loop', defaults.loop),
    theme: one_of('theme', ['light', 'dark'], defaults.theme),
    ghost: flag('ghost', defaults.ghost),
    shadows: flag('shadows', defaults.shadows),
    panel: flag('panel', defaults.panel),
  };
}

/** The address of a state; `digits` decimals of a second. */
export function write_address(state: State, defaults: State, digits: number): string {
  const kept = new URLSearchParams();
  const flag = (on: boolean) => (on ? '1' : '0');
  kept.set('t', state.t.toFixed(digits));
  kept.set('cam', state.camera);
  if (state.view) kept.set('view', state.view.map((x) => +x.toPrecision(6)).join(','));
  kept.set('plot', state.plot);
  kept.set('series', [...state.members].join(','));
  kept.set('trails', [...state.trails].join(','));
  kept.set('forces', flag(state.forces));
  kept.set('colour', state.colour);
  if (state.force_size !== 0) kept.set('arrow', String(state.force_size));
  if (state.vectors !== defaults.vectors) kept.set('vectors', state.vectors);
  if (state.speed !== 1) kept.set('speed', String(state.speed));
  if (state.theme) kept.set('theme', state.theme);
  for (const key of ['loop', 'ghost', 'shadows', 'panel'] as const) {
    if (state[key] !== defaults[key]) kept.set(key, flag(state[key]));
  }
  return `#${kept.toString().replace(/%2C/g, ',')}`;
}
