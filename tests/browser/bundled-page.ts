// The demo page and the browser package in a few files: with a hundred, each page load takes most of a second of processor
// time in the browser and the gateway.

import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PageFiles, shippedPage } from '@tollgate/tools/demo/demo-page.js';

/** Files that HTML and tests load by name; all others are in chunks. */
const documents = ['index', 'forms'];
const pageEntries = ['app', 'forms/page'];
const clientEntries = ['session', 'challenge', 'element', 'element/languages', 'solver/worker'];
/** Starts workers from a file beside it, so its chunk is beside the worker, too. */
const opener = '/solver/open-worker.js';
const chunkFolder = 'client/solver';

const outputs = fileURLToPath(new URL('../../../tools/dist/page/', import.meta.url));

let bundled: Promise<PageFiles> | undefined;

/**
 * Bundles the page as an application with the package does, and joins its style sheets. The files are kept until a source
 * changes.
 */
export function bundledPage(): Promise<PageFiles> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<PageFiles> {
  const folder = join(outputs, stateOf(shippedPage));
  if (!existsSync(folder)) await write(folder);
  return { folder: join(folder, 'page'), clientFolder: join(folder, 'client') };
}

/** Changes with the sources' names, sizes and times. */
function stateOf({ folder, clientFolder }: PageFiles): string {
  const hash = createHash('sha256');
  for (const path of [fileURLToPath(import.meta.url), ...filesIn(folder), ...filesIn(clientFolder)]) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(js|css|html|svg)$/.test(name))
    .map((name) => join(folder, name));
}

/** Other processes may build it, too: the complete folder is renamed, and the first one stays. */
async function write(folder: string): Promise<void> {
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  const page = join(draft, 'page');
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: Object.fromEntries([
      ...pageEntries.map((name) => [name, join(shippedPage.folder, `${name}.js`)]),
      ...clientEntries.map((name) => [`client/${name}`, join(shippedPage.clientFolder, `${name}.js`)]),
    ]),
    platform: 'browser',
    tsconfig: false,
    plugins: [{ name: 'served-paths', resolveId: servedAt }],
  });
  const { output } = await bundle.write({
    dir: page,
    entryFileNames: '[name].js',
    chunkFileNames: `${chunkFolder}/[name]-[hash].js`,
  });
  await bundle.close();
  const startsWorkers = output.find(
    (file) => 'modules' in file && Object.keys(file.modules).some((id) => id.endsWith(opener)),
  );
  if (dirname(startsWorkers?.fileName ?? '') !== chunkFolder)
    throw new Error(`${opener} is not beside the worker`);
  renameSync(join(page, 'client'), join(draft, 'client'));
  cpSync(shippedPage.folder, page, { recursive: true, filter: (path) => !path.endsWith('.js') });
  for (const name of documents) joinStyles(page, name);
  // Those of earlier sources; a longer name means that it is being written.
  for (const name of readdirSync(outputs)) {
    if (name.length !== basename(folder).length || name === basename(folder)) continue;
    rmSync(join(outputs, name), { recursive: true, force: true });
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true });
  }
}

/** Joins a document's style sheets; its preloads are in the bundle. */
function joinStyles(page: string, name: string): void {
  const file = join(page, `${name}.html`);
  const links = / *<link rel="(stylesheet|modulepreload)" href="(.+)" \/>\n/g;
  const html = readFileSync(file, 'utf8');
  const styles = [...html.matchAll(links)].filter(([, kind]) => kind === 'stylesheet');
  const text = styles.map(([, , style = '']) => readFileSync(join(page, style), 'utf8'));
  writeFileSync(join(page, `style/all-of-${name}.css`), text.join(''));
  const joined = `<link rel="stylesheet" href="style/all-of-${name}.css" />\n</head>`;
  writeFileSync(file, html.replaceAll(links, '').replace('</head>', joined));
}

/** In the page's URLs, the package is beside the page. */
function servedAt(id: string, importer: string | undefined): string | undefined {
  if (importer?.startsWith(shippedPage.folder) !== true) return undefined;
  const [, name] = /^\.\.?\/client\/(.+)$/.exec(id) ?? [];
  return name === undefined ? undefined : join(shippedPage.clientFolder, name);
}
