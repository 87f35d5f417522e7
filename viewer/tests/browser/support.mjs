// What the tests of the page share: a browser, the fixture, pages made and opened, and what can be read of them.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';

import { make_page, open_browser, open_page } from '../page.mjs';

export const fixtures = new URL('../fixtures/', import.meta.url).pathname;
export const coluber = process.env.COLUBER;
export const options = coluber ? {} : { skip: 'COLUBER is not set' }; // of tests that need the program
export let browser;
export let folder; // for files of the tests
export let replay; // the fixture's header
export let values; // and numbers
export let packed; // the fixture as in an exported page
let sequence = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coluber-page-'));
  browser = await open_browser();
  replay = JSON.parse(await readFile(join(fixtures, 'replay.json'), 'utf8'));
  const bytes = await readFile(join(fixtures, 'replay.bin'));
  values = Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  packed = (await readFile(join(fixtures, 'packed.json'), 'utf8')).trim();
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

// A page with runs in it on disk: its address.
export async function save_page(...runs) {
  const file = join(folder, `page${++sequence}.html`);
  await writeFile(file, await make_page(...runs));
  return pathToFileURL(file).href;
}

// Opens a page with runs in it from disk; `act` gets the page; whatever it does, nothing may go wrong in the console.
export async function with_page(runs, hash, act, init) {
  const opened = await open_page(browser.context, (await save_page(...runs)) + hash, init);
  try {
    await act(opened.page, opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.page.close();
  }
}

export const field = (name) => replay.fields.find((f) => f.name === name);
export const value = (frame, name, i = 0) => values[frame * replay.floats_per_frame + field(name).offset + i];
export const time_of = (frame) => value(frame, 'time');

// How many pixels differ from the page's background, and how many colours there are.
export const look = (page) =>
  page.evaluate(() => {
    const { width, height, data } = window.coluber.pixels();
    const seen = new Set();
    let blue = 0;
    for (let i = 0; i < data.length; i += 4) {
      seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      if (data[i + 2] > data[i] + 60) ++blue;
    }
    let hash = 0;
    for (let i = 0; i < data.length; ++i) hash = (hash * 31 + data[i]) | 0;
    return { width, height, colours: seen.size, blue, hash };
  });

export const near = (found, expected, bound, what) => {
  assert.equal(found.length, expected.length, what);
  found.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) <= bound, `${what}: ${found} for ${expected}`));
};
export const scene = (page, run = 0) => page.evaluate((i) => window.coluber.drawnScene()[i], run);
export const camera = (page) => page.evaluate(() => window.coluber.camera());
// 4.2, −4.2, 4.2·10⁻⁵ and 25 with its unit behind it
export const number_in = (text) => {
  const [, lead, power] = /(−?[\d.]+)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?/.exec(text) ?? [];
  const raised = power ? Number([...power].map((c) => (c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))).join('')) : 0;
  return Number(lead.replace('−', '-')) * 10 ** raised;
};
// metres a unit, from the length and the words of an arrow in the legend
export const legend_scale = async (page, id) => {
  const width = parseFloat(await page.evaluate((i) => document.querySelector(`#${i} i`).style.width, id));
  return width / number_in(/[\d.−].*/.exec(await page.textContent(`#${id} span`))[0]) / (await camera(page)).pixelsPerMetre;
};

// the colour of s in -1 … 1: blue, grey, red
export const shade = (s) => [0, 1, 2].map((i) => Math.round(255 * (0.86 + ((s < 0 ? [0.13, 0.4, 0.82] : [0.8, 0.16, 0.14])[i] - 0.86) * Math.min(1, Math.abs(s)) ** 0.8)));
export const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

export const kept = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
// all that a person can set, as the page shows it
export const settings = (page) => page.evaluate(() => {
  const by = (id) => document.getElementById(id);
  const pressed = (id) => [...by(id).querySelectorAll('[aria-pressed=true]')].map((b) => b.textContent);
  return {
    t: window.coluber.time, cam: window.coluber.camera().kind, plot: by('channel').value, series: pressed('members'), trails: pressed('trails'), drawn: window.coluber.drawnScene()[0].trails.map((t) => t.name).sort(),
    lines: window.coluber.plot().length, forces: by('forces').checked, arrow: by('force_size').value, vectors: by('vectors').value, colour: by('colour').value, speed: by('speed').value,
    loop: by('loop').getAttribute('aria-pressed'), theme: document.documentElement.dataset.theme, ghost: by('ghost').checked, seen: window.coluber.drawnScene()[1].visible, shadows: by('shadows').checked, panel: document.body.classList.contains('no_panel'),
  };
});
