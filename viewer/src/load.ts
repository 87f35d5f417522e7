// Where runs come from: embedded in the page (coluber export --to html) or fetched from the
// server that gave the page (coluber view).

import { make_replay, read_float32, ReplayError, type Replay } from './replay/format.ts';
import { read_embedded } from './replay/pack.ts';

export interface Run {
  name: string;
  replay: Replay;
  title: string;
  status: string;
  version: string;
  scenario: Record<string, unknown>;
  summary: Record<string, unknown>;
  units: Record<string, string>;
  warnings: string[];
}

type Json = Record<string, unknown>;

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ReplayError(`${what} is not valid JSON; the file was damaged or cut short`);
  }
}

/** Joins a replay with what run.json says about it; both the whole run.json and its excerpt are read. */
export function make_run(name: string, replay: Replay, about: unknown): Run {
  const run = object(about);
  const scenario = object(run.scenario);
  const units: Record<string, string> = {};
  for (const [key, unit] of Object.entries(object(run.units))) units[key] = String(unit);
  return {
    name,
    replay,
    title: typeof run.title === 'string' && run.title ? run.title : replay.title || name,
    status: typeof run.status === 'string' ? run.status : '',
    version: typeof run.version === 'string' ? run.version : '',
    scenario: 'resolved' in scenario ? object(scenario.resolved) : scenario,
    summary: object(run.summary),
    units,
    warnings: Array.isArray(run.warnings)
      ? run.warnings.map((w) => (typeof w === 'string' ? w : typeof object(w).message === 'string' ? String(object(w).message) : JSON.stringify(w)))
      : [],
  };
}

async function embedded(element: HTMLElement, index: number): Promise<Run> {
  const stored = object(parse(element.textContent ?? '', 'the run in this page'));
  const replay = await read_embedded(stored.replay, stored.data);
  const about = object(stored.run);
  return make_run(element.dataset.name ?? (typeof about.name === 'string' ? about.name : `run ${index + 1}`), replay, about);
}

async function get(address: string): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, { credentials: 'same-origin' });
  } catch {
    throw new ReplayError(`the server did not answer (${address}). Is "coluber view" still running?`);
  }
  if (!answer.ok) throw new ReplayError(`the server answered ${answer.status} for ${address}`);
  return answer;
}

async function served(entry: Json, index: number): Promise<Run> {
  const [header, data, about] = await Promise.all([
    get(String(entry.replay)).then((a) => a.text()),
    get(String(entry.data)).then((a) => a.arrayBuffer()),
    get(String(entry.run)).then((a) => a.text()),
  ]);
  const replay = make_replay(parse(header, 'replay.json'), read_float32(data));
  return make_run(typeof entry.name === 'string' ? entry.name : `run ${index + 1}`, replay, parse(about, 'run.json'));
}

/** The runs of this page, one or two. */
export async function load_runs(): Promise<Run[]> {
  const elements = ['coluber-run', 'coluber-run-2'].map((id) => document.getElementById(id)).filter((e) => e !== null);
  if (elements.length > 0) return Promise.all(elements.map((e, i) => embedded(e, i)));
  if (!/^https?:$/.test(location.protocol)) {
    throw new ReplayError('this page holds no run. Make one that does with  coluber export RUN --to html,  or look at a run with  coluber view RUN.');
  }
  const list = object(parse(await (await get('api/runs')).text(), 'the list of runs')).runs;
  if (!Array.isArray(list) || list.length === 0) throw new ReplayError('the server has no run to show');
  return Promise.all(list.slice(0, 2).map((entry, i) => served(object(entry), i)));
}
