// Bundle size of the session.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { build } from 'vite';

t.test('the session, bundled and minified, is smaller than 4.75 kB compressed', async (t) => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      // As a library: Vite adds its own lazy-module loader once to each page.
      lib: { entry: fileURLToPath(import.meta.resolve('@tollgate/client/session')), formats: ['es'] },
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
