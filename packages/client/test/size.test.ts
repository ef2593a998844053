// Bundle sizes of the entry points.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { build } from 'vite';

const entryOf = (name: string) => fileURLToPath(import.meta.resolve(`@tollgate/client/${name}`));

const challenge = entryOf('challenge');

/** The files of a page with this code, its own first. */
async function buildPage(code: string) {
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
  return built.output;
}

/** Size of the initial load, and the files loaded later. */
async function bundle(code: string) {
  const output = await buildPage(code);
  const chunks = output.filter((file) => file.type === 'chunk');
  const [page] = output;
  const atOnce = new Set([page.fileName]);
  for (const name of atOnce) {
    for (const found of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) atOnce.add(found);
  }
  const bytes = chunks.reduce(
    (sum, { fileName, code }) => sum + (atOnce.has(fileName) ? gzipSync(code).length : 0),
    0,
  );
  return { bytes, later: output.map(({ fileName }) => fileName).filter((name) => !atOnce.has(name)) };
}

t.test('the challenges, bundled and minified, are smaller than 8 kB compressed', async (t) => {
  const { bytes, later } = await bundle(`export * from ${JSON.stringify(challenge)};`);
  t.match(later.join(' '), /worker/, 'the worker is a separate file');
  t.comment(`${bytes} bytes; for later ${later.join(', ')}`);
  t.ok(bytes < 8_000, `${bytes} bytes`);
});

t.test('importing one function bundles no more', async (t) => {
  const { bytes, later } = await bundle(`export { fetchImageChallenge } from ${JSON.stringify(challenge)};`);
  t.same(later, []);
  t.ok(bytes < 1_000, `${bytes} bytes`);
});

t.test(
  'the element, bundled and minified, is smaller than 20 kB compressed, and importing it defines it',
  async (t) => {
    const [{ code }] = await buildPage(`import ${JSON.stringify(entryOf('element'))};`);
    t.match(code, /customElements[^;]*\.define/);
    const bytes = gzipSync(code).length;
    t.comment(`${bytes} bytes`);
    t.ok(bytes < 20_000, `${bytes} bytes`);
  },
);

t.test('the session, bundled and minified, is smaller than 4.75 kB compressed', async (t) => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      // As a library: Vite adds its own lazy-module loader once to each page.
      lib: { entry: entryOf('session'), formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  });
  const [first] = [built].flat();
  if (first === undefined || !('output' in first)) throw new Error('nothing was built');
  const [{ code, exports, imports }, ...later] = first.output;
  t.same([...exports].sort(), ['SessionError', 'createSession']);
  t.same(imports, []);
  const bytes = gzipSync(code).length;
  t.comment(`${bytes} bytes`);
  t.ok(bytes < 4_750, `${bytes} bytes`);
  const limits = { cookies: 600, 'device-proof': 2_000 };
  t.same(
    later.map((chunk) => 'name' in chunk && chunk.name).sort(),
    Object.keys(limits),
    'cookies are only for programs; the proof module is loaded at the first login or refresh',
  );
  for (const chunk of later) {
    if (chunk.type !== 'chunk') throw new Error(`${chunk.fileName} is no script`);
    t.same([chunk.imports, chunk.isDynamicEntry], [[], true]);
    const more = gzipSync(chunk.code).length;
    t.comment(`${chunk.name}: ${more} bytes more`);
    t.ok(more < limits[chunk.name as keyof typeof limits], `${more} bytes`);
  }
});
