// The words of the page: title, headline figures, parameters, and what is known of the data.

import { at, make } from './dom.ts';
import type { Run } from './load.ts';
import type { Body } from './replay/format.ts';
import { figure, flatten, format_number, format_value } from './words.ts';

declare const COLUBER_VIEWER_VERSION: string;

interface Line {
  name: string;
  cells: string[];
  unit?: string;
  differs?: boolean;
}

function show_rows(table: HTMLElement, lines: Line[]): void {
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
}

const table_of = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

function show_titles(runs: Run[], links: Body[], seconds: number): void {
  const first = runs[0]!;
  document.title = `${first.title} · Coluber`;
  at('title').textContent = runs.length > 1 && runs[1]!.title !== first.title ? `${first.title}  |  ${runs[1]!.title}` : first.title;
  at('title').title = at('title').textContent ?? '';
  const robot = table_of(first.scenario.robot);
  const tilt = table_of(first.scenario.world).tilt_deg;
  at('subtitle').textContent = [
    robot.name || robot.model ? [robot.name, robot.model && `${robot.model} model`].filter(Boolean).join(', ') : '',
    links.length > 0 ? `${links.length} ${links.every((b) => b.name.startsWith('link_')) ? 'links' : 'moving bodies'}` : '',
    typeof tilt === 'number' && tilt !== 0 ? `slope ${format_number(tilt)}°` : '',
    runs.every((r) => r.replay.frames === 1) ? 'one moment' : `${format_number(seconds)} s at ${format_number(first.replay.rate)} Hz`,
    first.status && first.status !== 'completed' ? `partial: ${first.status}` : '',
  ].filter(Boolean).join(' · ');
}

function show_figures(runs: Run[], head: Line[]): void {
  const keys = [...new Set(runs.flatMap((r) => Object.keys(r.summary)))].filter((key) => key !== 'final_state');
  show_rows(at('figures'), keys.length === 0 ? [{ name: 'no summary in this run', cells: [] }] : [...head, ...keys.map((key) => {
    const parts = runs.map((r) => (key in r.summary ? figure(key, r.summary[key], r.units[key]) : { name: figure(key, null, '').name, value: '–', unit: '' }));
    const unit = parts.find((p) => p.unit)?.unit ?? '';
    return runs.length > 1 ? { name: unit ? `${parts[0]!.name}, ${unit}` : parts[0]!.name, cells: parts.map((p) => p.value) } : { name: parts[0]!.name, cells: [parts[0]!.value], unit };
  })]);
  const warnings = runs.flatMap((r) => r.warnings);
  at('warnings').hidden = warnings.length === 0;
  at('warnings').replaceChildren(...warnings.map((w) => make('li', w)));
}

function show_parameters(runs: Run[], head: Line[]): void {
  const flat = runs.map((r) => flatten(r.scenario));
  const names = [...new Set(flat.flatMap((f) => [...f.keys()]))];
  const lines = names.map((name) => {
    const cells = flat.map((f) => format_value(f.get(name)));
    return { name, cells, differs: new Set(cells).size > 1 };
  });
  show_rows(at('parameters'), [...head, ...lines.filter((p) => p.differs), ...lines.filter((p) => !p.differs)]);
  if (runs.length > 1) at<HTMLDetailsElement>('parameters_box').open = lines.some((p) => p.differs);
  at('parameters_box').hidden = names.length === 0;
}

function show_about(runs: Run[]): void {
  const { replay, version } = runs[0]!;
  const { packing } = replay;
  show_rows(at('about'), [
    { name: 'Coluber', cells: [version || 'unknown'] },
    { name: 'viewer', cells: [COLUBER_VIEWER_VERSION] },
    { name: 'frames', cells: [String(replay.frames)] },
    { name: 'data', cells: [`${format_number(packing.bytes / 1000, 4)} kB, ${packing.encoding}`] },
    ...(packing.bytes !== packing.raw ? [{ name: 'as float32', cells: [`${format_number(packing.raw / 1000, 4)} kB (${format_number((100 * packing.bytes) / packing.raw, 3)} % stored)`] }] : []),
    ...packing.steps.map((s) => ({ name: `rounding of ${s.kind}`, cells: [s.step > 0 ? `± ${format_number(s.step / 2, 2)}` : 'none'], unit: s.step > 0 ? s.unit : '' })),
    ...runs.flatMap((r) => ('final_state' in r.summary ? [{ name: 'final state', cells: [format_value(r.summary.final_state)] }] : [])),
    ...(replay.skipped.length > 0 ? [{ name: 'not shown', cells: [`fields of kind ${replay.skipped.join(', ')}`] }] : []),
  ]);
}

function show_legend(runs: Run[]): void {
  if (runs.length < 2) return;
  at('runs_legend').hidden = false;
  document.body.classList.add('two');
  at('runs_legend').replaceChildren(...runs.map((run, i) => {
    const row = make('div');
    row.append(make('i', '', i > 0 ? 'second' : ''), make('span', `${run.name}${i > 0 ? ' (ghost, dashed)' : ''}${run.title !== runs[1 - i]!.title ? `: ${run.title}` : ''}`));
    return row;
  }));
}

/** Writes all that does not change with time. */
export function show_words(runs: Run[], links: Body[], seconds: number): void {
  const head = runs.length > 1 ? [{ name: '', cells: runs.map((r) => r.name) }] : [];
  show_titles(runs, links, seconds);
  show_figures(runs, head);
  show_parameters(runs, head);
  show_about(runs);
  show_legend(runs);
}
