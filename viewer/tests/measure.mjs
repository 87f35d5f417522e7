#!/usr/bin/env node
// Measures the page with a large run: 60 links among 200 pegs, 60 s at 100 frames per second.
//   viewer/tests/measure.mjs [--folder DIR]
// Prints sizes, and for two ways of software rendering the time to the first finished picture and
// from scrub input to the finished picture. COLUBER names the program (build/release/bin/coluber),
// CHROMIUM the browser. The numbers in docs/viewer.md come from here.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { flags, open_browser, open_page, ready, viewer } from './page.mjs';

const coluber = process.env.COLUBER ?? new URL('../../build/release/bin/coluber', import.meta.url).pathname;
const given = process.argv.indexOf('--folder');
const folder = given > 0 ? process.argv[given + 1] : mkdtempSync(join(tmpdir(), 'coluber-measure-'));
mkdirSync(folder, { recursive: true });

// Pegs on a jittered lattice, none where the straight robot starts; the same every time.
function make_scenario() {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const pegs = [];
  for (let i = 0; pegs.length < 200; ++i) {
    const x = -0.4 + 0.36 * (i % 50) + 0.1 * (random() - 0.5);
    const y = -0.48 + 0.32 * Math.floor(i / 50) + 0.06 * (random() - 0.5);
    const radius = 0.02 + 0.03 * random();
    if (Math.abs(y) > radius + 0.055) pegs.push({ x, y, radius });
  }
  return `schema = 1
title = "60 links among 200 pegs"
duration = 60.0
[robot]
model = "planar"
name = "aiko"
links = 60
[start]
shape = "straight"
link = 60
position = [0.0, 0.0]
heading_deg = 180.0
[world]
friction = [0.2, 0.5]
${pegs.map((p) => `[[world.obstacle]]\nx = ${p.x.toFixed(4)}\ny = ${p.y.toFixed(4)}\nradius = ${p.radius.toFixed(4)}`).join('\n')}
[gait]
name = "lateral_undulation"
amplitude_deg = 25.0
omega_deg = 80.0
phase_deg = -40.0
soft_start = true
[controller]
name = "pd"
kp = 800.0
kd = 2.0
[record]
rate_hz = 100.0
`;
}

function program(...args) {
  const result = spawnSync(coluber, args, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${coluber} ${args.join(' ')}: ${result.stderr}`);
  return result;
}

const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.ceil(q * list.length) - 1)];
const ms = (x) => `${x.toFixed(0)} ms`;

async function measure(name, gl) {
  const first = [];
  const input = [];
  const inside = [];
  let renderer = '';
  for (let launch = 0; launch < 3; ++launch) {
    const { context, close } = await open_browser({ args: [...flags.filter((f) => !/^--(use-gl|use-angle|enable-unsafe)/.test(f)), ...gl] });
    try {
      const { page } = await open_page(context, pathToFileURL(join(folder, 'page.html')).href);
      await ready(page);
      first.push(await page.evaluate(() => window.coluber.firstFrame));
      renderer = await page.evaluate(() => {
        const context = document.createElement('canvas').getContext('webgl2');
        return String(context.getParameter(context.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL));
      });
      // as a hand on the scrubber does: an input event, then the picture it leads to, read back
      const samples = await page.evaluate(async () => {
        const scrubber = document.getElementById('scrubber');
        const out = [];
        for (let i = 0; i < 60; ++i) {
          const begin = performance.now();
          const drawn = window.coluber.drawn();
          scrubber.value = String(60 * ((i * 0.6180339887) % 1));
          scrubber.dispatchEvent(new Event('input', { bubbles: true }));
          const handled = performance.now();
          await drawn;
          out.push([performance.now() - begin, handled - begin]);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return out;
      });
      input.push(...samples.map((s) => s[0]));
      inside.push(...samples.map((s) => s[1]));
    } finally {
      await close();
    }
  }
  console.log(`${name}  ${gl.join(' ')}\n  ${renderer}`);
  console.log(`  first picture after navigation: ${first.map(ms).join(', ')}`);
  console.log(`  scrub input to finished picture, ${input.length} inputs: median ${ms(quantile(input, 0.5))}, p95 ${ms(quantile(input, 0.95))}; of it in the script: p95 ${quantile(inside, 0.95).toFixed(1)} ms`);
}

try {
  const scenario = join(folder, 'scenario.toml');
  const run = join(folder, 'run');
  writeFileSync(scenario, make_scenario());
  program('run', scenario, '--out', run, '--force', '-q');
  const said = program('export', run, '--to', 'html', '-o', join(folder, 'page.html')).stderr.trim();
  const replay = JSON.parse(readFileSync(join(run, 'replay.json'), 'utf8'));
  const bytes = readFileSync(join(run, 'replay.bin'));
  const contacts = replay.fields.filter((f) => f.kind === 'contact');
  let closed = 0;
  for (let k = 0; k < replay.frames; ++k) {
    for (const f of contacts) {
      for (let s = 0; s < f.count; s += 6) if (!Number.isNaN(bytes.readFloatLE(4 * (k * replay.floats_per_frame + f.offset + s)))) ++closed;
    }
  }
  const data = JSON.parse(readFileSync(join(folder, 'page.html'), 'utf8').match(/id="coluber-run">(.*)<\/script>/)[1]).data.bytes;
  console.log(`page without data ${statSync(viewer).size} bytes; ${said}`);
  console.log(`${replay.frames} frames of ${replay.floats_per_frame} floats, ${(closed / replay.frames).toFixed(1)} contacts per frame; ` +
    `data ${((300 * data.length) / 4 / bytes.length).toFixed(1)} % of float32 packed, ${((100 * data.length) / bytes.length).toFixed(1)} % as base64`);
  console.log(`load before measuring: ${loadavg()[0].toFixed(1)} on this machine`);
  await measure('B', ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']);
  await measure('C', ['--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist']);
} finally {
  if (given < 0) rmSync(folder, { recursive: true, force: true });
}
