// A page in a sandboxed frame, as a notebook shows it: it draws, plays and changes its view without an address to keep.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { make_page, open_browser, open_page, until } from '../page.mjs';
import { make_wheeled } from '../synthetic.mjs';

const escape = (text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');

test('a page in a sandboxed frame works, and misses nothing but the address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coluber-frame-'));
  const { context, close } = await open_browser();
  try {
    const file = process.env.COLUBER_CELL ?? join(folder, 'cell.html'); // a notebook's cell, to look at
    if (!process.env.COLUBER_CELL) {
      const inner = escape(await make_page(make_wheeled()));
      await writeFile(file, `<!doctype html><meta charset="utf-8"><iframe sandbox="allow-scripts" style="width:100%;height:520px" srcdoc="${inner}"></iframe>`);
    }
    const { page, errors } = await open_page(context, `file://${file}`);
    const frame = page.frames().find((each) => each !== page.mainFrame());
    assert.ok(frame, 'there is a frame');
    await until(frame, () => window.coluber?.ready === true);
    assert.equal(await frame.evaluate(() => window.origin), 'null');
    await frame.click('[data-camera=side]');
    await frame.fill('#scrubber', '0.3');
    await page.waitForTimeout(1000); // longer than a view waits to be kept
    if (process.env.COLUBER_PICTURE) await page.screenshot({ path: process.env.COLUBER_PICTURE });
    assert.deepEqual(errors, []);
    assert.equal(await frame.evaluate(() => location.hash), '');
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
});
