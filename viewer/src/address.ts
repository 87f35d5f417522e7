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
  arrows: Set<string>; // names of the families of arrows drawn
  force_size: number; // arrows are 10^force_size times as long as usual
  sizes: Map<string, number>; // and those of a family 10^ this times longer
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
  families: string[];
  vectors: string[];
  colours: string[];
  bodies: string[];
  speeds: number[];
  channels(plot: string): string[]; // its members
  members(plot: string): Set<string>; // those plotted at first
}

/** What of an address the page cannot show: what it says, and what there is instead. */
export interface AddressFault {
  said: string;
  known: string;
}

const find_one = <T extends string>(kept: URLSearchParams, key: string, all: readonly T[], or: T): T => all.find((name) => name === kept.get(key)) ?? or;
const list_of = (kept: URLSearchParams, key: string) => kept.get(key)?.split(',').filter(Boolean) ?? null;
const largest_size = 1; // arrows are at most 10 times as long as usual, at least a tenth

/** The first value that read_address passes over for another one; null if it takes all of them. */
export function find_fault(hash: string, defaults: State, choices: Choices): AddressFault | null {
  const kept = new URLSearchParams(hash.replace(/^#/, ''));
  const taken = find_one(kept, 'plot', choices.plots, defaults.plot);
  const name_list = (names: readonly string[]) =>
    names.length > 20 ? `${names.slice(0, 20).join(', ')}, … (${names.length} in all)` : names.join(', ');
  const refuse = (key: string, value: string, names: readonly string[], also = ''): AddressFault => ({ said: `${key}: there is no "${value}"`, known: names.length > 0 ? also + name_list(names) : 'this run has none' });
  const unknown = (key: string, names: readonly string[]) => list_of(kept, key)?.find((name) => !names.includes(name));
  const size_of = (pair: string) => Number(pair.slice(pair.lastIndexOf(':') + 1) || NaN);

  for (const [key, names] of [['plot', choices.plots], ['vectors', choices.vectors], ['colour', choices.colours], ['speed', choices.speeds.map(String)]] as const) {
    const value = kept.get(key);
    const none = value === '' && (key === 'vectors' || key === 'colour' || (key === 'plot' && names.length === 0));
    const number = key === 'speed' && value?.trim() ? String(Number(value)) : value;
    if (value !== null && !none && !names.includes(number!)) return refuse(key, value, names);
  }
  for (const [key, names] of [['series', choices.channels(taken)], ['trails', choices.bodies]] as const) {
    const name = unknown(key, names);
    if (name !== undefined) return refuse(key, name, names, key === 'series' ? `${taken} has ` : '');
  }
  const forces = kept.get('forces');
  if (forces !== null && forces !== '0' && forces !== '1') {
    const name = forces === '' ? '' : unknown('forces', choices.families);
    if (name !== undefined) return refuse('forces', name, choices.families, '0 for none, 1 for all, or of ');
  }
  for (const pair of list_of(kept, 'sizes') ?? []) {
    const name = pair.slice(0, Math.max(0, pair.lastIndexOf(':')));
    if (!choices.families.includes(name)) return refuse('sizes', name || pair, choices.families, 'sizes=NAME:X, NAME of ');
    if (!(Math.abs(size_of(pair)) <= largest_size)) return { said: `sizes: "${pair}" is no size`, known: 'a number from -1 to 1: arrows 10 to its power times as long' };
  }
  return null;
}

export function read_address(hash: string, defaults: State, choices: Choices): State {
  const kept = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (key: string, or: number): number => {
    const x = kept.get(key)?.trim() ? Number(kept.get(key)) : NaN;
    return Number.isFinite(x) ? x : or;
  };
  const flag = (key: string, or: boolean) => (kept.get(key) === '1' ? true : kept.get(key) === '0' ? false : or);
  const one_of = <T extends string>(key: string, all: readonly T[], or: T): T => find_one(kept, key, all, or);
  const size = (x: number) => Math.max(-largest_size, Math.min(largest_size, x));
  const list = (key: string) => list_of(kept, key);
  const plot = one_of('plot', choices.plots, defaults.plot);
  const trails = list('trails')?.filter((name) => choices.bodies.includes(name));
  // forces=1 all arrows, forces=0 none, else the families drawn
  const named = list('forces')?.filter((name) => choices.families.includes(name)) ?? [];
  const arrows = kept.get('forces') === '1' ? choices.families : kept.get('forces') === '0' ? [] : named.length > 0 ? named : defaults.arrows;
  const sizes = (list('sizes') ?? []).map((pair) => [pair.slice(0, pair.lastIndexOf(':')), Number(pair.slice(pair.lastIndexOf(':') + 1))] as const);
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
    arrows: new Set(arrows),
    force_size: size(number('arrow', 0)),
    sizes: new Map(sizes.filter(([name, x]) => choices.families.includes(name) && Number.isFinite(x) && x !== 0).map(([name, x]) => [name, size(x)])),
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
export function write_address(state: State, defaults: State, choices: Choices, digits: number): string {
  const kept = new URLSearchParams();
  const flag = (on: boolean) => (on ? '1' : '0');
  kept.set('t', state.t.toFixed(digits));
  kept.set('cam', state.camera);
  if (state.view) kept.set('view', state.view.map((x) => +x.toPrecision(6)).join(','));
  kept.set('plot', state.plot);
  kept.set('series', [...state.members].join(','));
  kept.set('trails', [...state.trails].join(','));
  kept.set('forces', state.arrows.size === choices.families.length ? '1' : [...state.arrows].join(',') || '0');
  kept.set('colour', state.colour);
  if (state.force_size !== 0) kept.set('arrow', String(state.force_size));
  const sizes = [...state.sizes].filter(([, x]) => x !== 0).map(([name, x]) => `${name}:${x}`);
  if (sizes.length > 0) kept.set('sizes', sizes.join(','));
  if (state.vectors !== defaults.vectors) kept.set('vectors', state.vectors);
  if (state.speed !== 1) kept.set('speed', String(state.speed));
  if (state.theme) kept.set('theme', state.theme);
  for (const key of ['loop', 'ghost', 'shadows', 'panel'] as const) {
    if (state[key] !== defaults[key]) kept.set(key, flag(state[key]));
  }
  return `#${kept.toString().replace(/%2C/g, ',').replace(/%3A/g, ':')}`;
}
