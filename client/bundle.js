// Makes the prebuilt file: dist/tollgate.js, for pages without a bundler.
//
//   node client/bundle.js
//       run after client/build.js; does nothing if the file is newer than the code in it
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('./dist/src/', import.meta.url));
const entry = join(sources, 'tollgate.js');
const output = fileURLToPath(new URL('./dist/tollgate.js', import.meta.url));
const workerFile = "new URL('./worker.js', import.meta.url)";

/** The file is page script and worker script in one, so that a page has one file to serve. */
const workersLoadThisFile = {
  name: 'workers-load-this-file',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/solver/solver.js')) return undefined;
    if (!code.includes(workerFile)) throw new Error(`${id} does not start its workers as ${workerFile}`);
    return code.replace(workerFile, 'import.meta.url');
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
    plugins: [workersLoadThisFile],
    build: {
      outDir: fileURLToPath(new URL('./dist/', import.meta.url)),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: () => 'tollgate.js' },
      rolldownOptions: { output: { codeSplitting: false, minify: true } },
    },
  });
}
