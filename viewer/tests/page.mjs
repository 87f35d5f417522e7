// Makes pages as `coluber export --to html` does, and opens them in Chromium.
import { deflateRawSync } from 'node:zlib';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const viewer = process.env.COLUBER_VIEWER ?? new URL('../dist/viewer.html', import.meta.url).pathname;

/** float32 frames in the packed encoding of an exported page. */
export function pack(bytes, frames, width) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const total = frames * width;
  const planes = new Uint8Array(2 * total);
  const columns = [];
  for (let c = 0; c < width; ++c) {
    const column = Array.from({ length: frames }, (_, k) => view.getFloat32(4 * (k * width + c), true));
    const finite = column.filter(Number.isFinite);
    const min = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const max = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const step = finite.length > 0 && max > min ? (max - min) / 65534 : 0;
    columns.push({ min: finite.length > 0 ? min : 0, step });
    let before = 0;
    column.forEach((x, k) => {
      const q = Number.isFinite(x) ? (step > 0 ? Math.round((x - min) / step) : 0) : 65535;
      const difference = (q - before) & 0xffff;
      before = q;
      planes[c * frames + k] = difference & 0xff;
      planes[total + c * frames + k] = difference >> 8;
    });
  }
  return { encoding: 'delta16-deflate', columns, bytes: deflateRawSync(planes, { level: 9 }).toString('base64') };
}

/** A run folder as an embedded run; `change` may spoil it first. */
export async function embed(folder, { packed = true, change } = {}) {
  const replay = JSON.parse(await readFile(join(folder, 'replay.json'), 'utf8'));
  const bytes = await readFile(join(folder, 'replay.bin'));
  const run = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
  const data = packed ? pack(bytes, replay.frames, replay.floats_per_frame) : { encoding: 'float32', bytes: bytes.toString('base64') };
  const { title, summary, version, warnings } = run;
  const stored = { replay, run: { title, scenario: run.scenario.resolved, summary, version, warnings }, data };
  change?.(stored);
  return stored;
}

/** The page with runs in it: objects, or text put in as it is. */
export async function make_page(...runs) {
  const elements = runs.map((run, i) => {
    const text = typeof run === 'string' ? run : JSON.stringify(run).replace(/</g, '\\u003c');
    return `<script type="application/json" id="coluber-run${i > 0 ? `-${i + 1}` : ''}">${text}</script>`;
  });
  return (await readFile(viewer, 'utf8')).replace('<!--COLUBER_DATA-->', () => elements.join('\n'));
}

// Chromium's own software renderer. Without the GL flags, screenshots of pages with panels over a canvas are wrong.
export const flags = [
  '--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
];

/** A browser with an empty profile; `close` ends it and removes the profile. */
export async function open_browser(options = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'coluber-viewer-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: false,
    args: flags,
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** A new tab that notes everything that goes wrong in it and every address it asks for. */
export async function open_page(context, address) {
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  return { page, errors, requests };
}

/** Waits until `condition` holds in the page. (waitForFunction would need eval, which the page's policy forbids.) */
export async function until(page, condition, seconds = 60) {
  const end = Date.now() + 1000 * seconds;
  while (!(await page.evaluate(condition))) {
    if (Date.now() > end) throw new Error(`never held within ${seconds} s: ${condition}`);
    await page.waitForTimeout(20);
  }
}

export const ready = (page) => until(page, () => window.coluber?.ready === true);
