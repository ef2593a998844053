// Makes the prebuilt file: dist/tollgate.js, for pages without a bundler.
//
//   node client/bundle.js
//       run after client/build.js
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const entry = fileURLToPath(new URL('./dist/src/tollgate.js', import.meta.url));
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
