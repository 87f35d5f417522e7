// Builds dist/viewer.html: one self-contained page. Script and style are inlined, so that it also
// runs from file:// (a page there may not load modules).
import { build } from 'esbuild';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 18 || (major === 18 && minor < 18)) {
  console.error(`viewer: needs Node 18.18 or newer, this is ${process.versions.node}`);
  process.exit(1);
}

const here = new URL('./', import.meta.url);
const file = (name) => new URL(name, here).pathname;
const version = JSON.parse(await readFile(file('package.json'), 'utf8')).version;
const result = await build({
  entryPoints: [file('src/main.ts')],
  bundle: true,
  write: false,
  outdir: 'out',
  format: 'iife',
  target: ['chrome103', 'firefox113', 'safari16.4'], // the first with DecompressionStream('deflate-raw')
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  define: { COLUBER_VIEWER_VERSION: JSON.stringify(version) },
});
const output = (suffix) => result.outputFiles.find((f) => f.path.endsWith(suffix)).text;
// neither may end its element early or look like the place for data
const script = output('.js').replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '\\x3C!--');
const style = output('.css').replace(/<\/(style)/gi, '<\\/$1');
const licences = await readFile(file('src/licences.txt'), 'utf8');
const page = (await readFile(file('src/index.html'), 'utf8'))
  .replace('/*STYLE*/', () => style)
  .replace('/*LICENCES*/', () => licences.trim())
  .replace('/*SCRIPT*/', () => script);
if (page.split('<!--COLUBER_DATA-->').length !== 2) throw new Error('the page must have the mark for data exactly once');

await mkdir(file('dist/'), { recursive: true });
await writeFile(file('dist/viewer.html.part'), page);
await rename(file('dist/viewer.html.part'), file('dist/viewer.html'));
console.log(`viewer: dist/viewer.html, ${(Buffer.byteLength(page) / 1000).toFixed(0)} kB`);
