// Served pages, and those of the program's own export, report and server.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { open_page, ready, until, viewer } from '../page.mjs';
import { browser, coluber, fixtures, folder, look, options, time_of, value } from './support.mjs';

test('served with raw data, the page shows exactly the recorded float32 values', async () => {
  const page_text = await readFile(viewer, 'utf8');
  const files = { '/run/0/replay.json': 'replay.json', '/run/0/replay.bin': 'replay.bin', '/run/0/run.json': 'run.json' };
  const server = createServer(async (request, response) => {
    if (request.url === '/') response.setHeader('Content-Type', 'text/html').end(page_text);
    else if (request.url === '/api/runs') response.end(JSON.stringify({ runs: [{ name: 'three', replay: 'run/0/replay.json', data: 'run/0/replay.bin', run: 'run/0/run.json' }] }));
    else if (files[request.url]) response.end(await readFile(join(fixtures, files[request.url])));
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { page, errors } = await open_page(browser.context, `http://127.0.0.1:${server.address().port}/`);
  try {
    await ready(page);
    const series = await page.evaluate(() => window.coluber.plot().map((s) => [...s.values]));
    series.forEach((s, i) => s.forEach((x, k) => assert.equal(x, value(k, `joint_torque.${i + 1}`))));
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
    server.closeAllConnections?.();
    server.close();
  }
});

test('a page by coluber export opens from disk and shows the run', options, async () => {
  const run = join(folder, 'run');
  const program = (...args) => {
    const result = spawnSync(coluber, args, { encoding: 'utf8' });
    assert.equal(result.status, 0, result.stderr);
  };
  program('run', join(fixtures, 'three_links.toml'), '--out', run, '-q');
  program('export', run, '--to', 'html', '-o', join(folder, 'out.html'));
  const { page, errors, requests } = await open_page(browser.context, pathToFileURL(join(folder, 'out.html')).href);
  await ready(page);
  assert.equal(await page.textContent('#title'), 'Three links and a peg');
  assert.ok((await look(page)).blue > 500);
  assert.ok(requests.every((r) => /^(file|data|blob):/.test(r)));
  assert.deepEqual(errors, []);
  await page.close();
});

test('two runs in one page by coluber export are shown over each other, by their names', options, async () => {
  const runs = ['slow', 'quick'].map((name, i) => {
    const out = join(folder, name);
    const done = spawnSync(coluber, ['run', join(fixtures, 'three_links.toml'), '--out', out, '-q', '--set', `gait.omega_deg=${60 + 30 * i}`], { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return out;
  });
  const done = spawnSync(coluber, ['export', ...runs, '--to', 'html'], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.stdout.trim(), join(runs[0], 'replay-and-quick.html'));
  const { page, errors, requests } = await open_page(browser.context, pathToFileURL(done.stdout.trim()).href);
  await ready(page);
  assert.match(await page.textContent('#runs_legend'), /slow.*quick \(ghost, dashed\)/);
  assert.match(await page.textContent('#parameters tr.differs'), /gait\.omega_deg.*60.*90/);
  assert.ok(requests.every((r) => /^(file|data|blob):/.test(r)));
  assert.deepEqual(errors, []);
  await page.close();
});

test('the report of coluber reproduce opens its replays, each under its figure', options, async () => {
  const out = join(folder, 'report');
  const done = spawnSync(coluber, ['reproduce', 'transeth.A1', '--out', out], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const { page, errors, requests } = await open_page(browser.context, pathToFileURL(join(out, 'report.html')).href);
  try {
    assert.equal(await page.locator('figure + details.replay').count(), 1);
    await page.click('details.replay summary');
    await until(page, () => document.querySelector('details.replay iframe') !== null);
    const frame = await (await page.$('details.replay iframe')).contentFrame();
    await frame.waitForLoadState();
    await until(frame, () => window.coluber?.ready === true);
    assert.match(await frame.textContent('#title'), /Aiko/);
    assert.equal(await frame.isVisible('[role=alert]'), false);
    const start = await frame.evaluate(() => window.coluber.poseOf('link_6'));
    const later = await frame.evaluate(() => {
      window.coluber.seek(9);
      return window.coluber.poseOf('link_6');
    });
    assert.ok(Math.hypot(later[0] - start[0], later[1] - start[1]) > 0.01, `${later}`);
    await page.click('details.replay summary');
    await until(page, () => document.querySelector('details.replay iframe') === null);
    assert.ok(requests.every((r) => /^(file|data|blob):/.test(r)), requests.join(' '));
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
});

test('coluber view serves one run, and two for comparison', options, async () => {
  const run = join(folder, 'served');
  assert.equal(spawnSync(coluber, ['run', join(fixtures, 'three_links.toml'), '--out', run, '-q']).status, 0);
  for (const runs of [[run], [run, run]]) {
    const server = spawn(coluber, ['view', ...runs, '--no-open']);
    try {
      let said = '';
      const address = await new Promise((resolve, reject) => {
        const hear = (chunk) => {
          said += chunk;
          const match = /http:\/\/127\.0\.0\.1:\d+\/?/.exec(said);
          if (match) resolve(match[0]);
        };
        server.stdout.on('data', hear);
        server.stderr.on('data', hear);
        server.on('exit', () => reject(new Error(`coluber view ended: ${said}`)));
        setTimeout(() => reject(new Error(`no address printed: ${said}`)), 10000).unref();
      });
      const { page, errors, requests } = await open_page(browser.context, address);
      await ready(page);
      const pose = await page.evaluate((t) => {
        window.coluber.seek(t);
        return window.coluber.poseOf('link_3');
      }, time_of(12));
      pose.forEach((x, i) => assert.ok(Math.abs(x - value(12, 'link_3.pose', i)) < 2e-6));
      assert.equal(await page.isVisible('#runs_legend'), runs.length === 2);
      assert.ok(requests.every((r) => r.startsWith(address) || /^(data|blob):/.test(r)), requests.join(' '));
      assert.deepEqual(errors, []);
      await page.close();
    } finally {
      server.kill();
    }
  }
});
