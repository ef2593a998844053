// Makes the prebuilt file dist/tollgate.js, for pages without a bundler, and what it loads later in dist/tollgate/.
//
//   node client/bundle.js
//       run after client/build.js; does nothing if the file is newer than the code in it
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('./dist/src/', import.meta.url));
const entry = join(sources, 'tollgate.js');
const output = fileURLToPath(new URL('./dist/tollgate.js', import.meta.url));
const languages = fileURLToPath(new URL('./dist/tollgate/', import.meta.url));
const workerFiles = ["new URL('./worker.js', import.meta.url)", 'new URL(workerFile, import.meta.url)'];

/** The file is page script and worker script in one, so that a page has one file to serve. */
const workersLoadThisFile = {
  name: 'workers-load-this-file',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/solver/open-worker.js')) return undefined;
    const changed = workerFiles.reduce((changed, file) => {
      if (!changed.includes(file)) throw new Error(`${id} does not start its workers with ${file}`);
      return changed.replace(file, 'ownFile()');
    }, code);
    return `import { ownFile } from './own-file.js';\n${changed}`;
  },
};

/** Texts in other languages than English stay files: a page loads the one that it speaks. */
const languagesStayFiles = {
  name: 'languages-stay-files',
  enforce: 'pre',
  resolveId(id, importer) {
    const isLanguage = importer?.endsWith('/element/languages.js') && /\/texts\/(?!en\.js)/.test(id);
    return isLanguage ? { id: `./tollgate/${basename(id)}`, external: true } : undefined;
  },
};

/** What shows the key of the browser stays a file, because forms without a session never load it. */
const proofStaysFile = {
  name: 'proof-stays-file',
  enforce: 'pre',
  resolveId(id, importer) {
    const isProof = importer?.endsWith('/session/environment.js') && id === './binding/device-proof.js';
    return isProof ? { id: './tollgate/proof.js', external: true } : undefined;
  },
};

const changedMs = (file) => statSync(file).mtimeMs;
const inputs = readdirSync(sources, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => join(sources, name));
const isUpToDate =
  existsSync(output) &&
  changedMs(output) > Math.max(...[fileURLToPath(import.meta.url), ...inputs].map(changedMs));

if (!isUpToDate) await bundle();

async function bundle() {
  const { build } = await import('vite');
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [workersLoadThisFile, languagesStayFiles, proofStaysFile],
    build: {
      outDir: fileURLToPath(new URL('./dist/', import.meta.url)),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: () => 'tollgate.js' },
      rolldownOptions: { output: { codeSplitting: false, minify: true } },
    },
  });
  rmSync(languages, { recursive: true, force: true });
  cpSync(join(sources, 'element', 'texts'), languages, {
    recursive: true,
    filter: (path) => !/\.(ts|map)$|\/en\.js$/.test(path),
  });
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: languages,
      emptyOutDir: false,
      target: 'es2022',
      lib: {
        entry: join(sources, 'session', 'binding', 'device-proof.js'),
        formats: ['es'],
        fileName: () => 'proof.js',
      },
      rolldownOptions: { output: { minify: true } },
    },
  });
}
