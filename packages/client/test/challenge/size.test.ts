// Bundle size of the challenges.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { build } from 'vite';

const entry = fileURLToPath(import.meta.resolve('@tollgate/client/challenge'));

/** Size of the initial load, and the files loaded later. */
async function bundle(code: string) {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : undefined),
        load: (id) => (id === 'page' ? code : undefined),
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: { input: 'page', preserveEntrySignatures: 'strict' },
    },
    worker: { format: 'es' },
  });
  if (!('output' in built)) throw new Error('nothing was built');
  const chunks = built.output.filter((file) => file.type === 'chunk');
  const [page] = built.output;
  const atOnce = new Set([page.fileName]);
  for (const name of atOnce) {
    for (const found of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) atOnce.add(found);
  }
  const bytes = chunks.reduce(
    (sum, { fileName, code }) => sum + (atOnce.has(fileName) ? gzipSync(code).length : 0),
    0,
  );
  return { bytes, later: built.output.map(({ fileName }) => fileName).filter((name) => !atOnce.has(name)) };
}

t.test('the challenges, bundled and minified, are smaller than 8 kB compressed', async (t) => {
  const { bytes, later } = await bundle(`export * from ${JSON.stringify(entry)};`);
  t.match(later.join(' '), /worker/, 'the worker is a separate file');
  t.comment(`${bytes} bytes; for later ${later.join(', ')}`);
  t.ok(bytes < 8_000, `${bytes} bytes`);
});

t.test('importing one function bundles no more', async (t) => {
  const { bytes, later } = await bundle(`export { fetchImageChallenge } from ${JSON.stringify(entry)};`);
  t.same(later, []);
  t.ok(bytes < 1_000, `${bytes} bytes`);
});
