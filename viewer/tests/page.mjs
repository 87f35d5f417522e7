// Makes pages as `coluber export --to html` does, and opens them in Chromium.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const viewer = process.env.COLUBER_VIEWER ?? new URL('../dist/viewer.html', import.meta.url).pathname;

/** A run folder as an embedded run, not packed. */
export async function embed(folder) {
  const replay = JSON.parse(await readFile(join(folder, 'replay.json'), 'utf8'));
  const bytes = await readFile(join(folder, 'replay.bin'));
  const { title, summary, version, warnings, scenario } = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
  return { replay, run: { title, scenario: scenario.resolved, summary, version, warnings }, data: { encoding: 'float32', bytes: bytes.toString('base64') } };
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

/** A new tab that notes everything that goes wrong in it and every address it asks for; `init` runs in it first. */
export async function open_page(context, address, init) {
  const page = await context.newPage();
  page.setDefaultTimeout(300000); // a busy machine is slow, not wrong
  if (init) await page.addInitScript(init);
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
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const ready = (page) => until(page, () => window.coluber?.ready === true);
