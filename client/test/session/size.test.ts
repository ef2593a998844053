// The bundle size of the session.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { build } from 'vite';

t.test('the session, bundled and minified, is smaller than 4 kB compressed', async (t) => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      // As a library: Vite adds its own loader of lazy modules to a page, once, whatever the page consists of.
      lib: { entry: fileURLToPath(import.meta.resolve('@tollgate/client/session')), formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  });
  const [first] = [built].flat();
  if (first === undefined || !('output' in first)) throw new Error('nothing was built');
  const [{ code, exports, imports }, proof, ...others] = first.output;
  t.same(others, []);
  t.same([...exports].sort(), ['SessionError', 'createSession']);
  t.same(imports, []);
  const bytes = gzipSync(code).length;
  t.comment(`${bytes} bytes`);
  t.ok(bytes < 4_000, `${bytes} bytes`);
  if (proof?.type !== 'chunk') throw new Error('what shows the key of the browser is no file of its own');
  t.same([proof.imports, proof.isDynamicEntry], [[], true], 'loaded with the first log-in or refresh');
  const more = gzipSync(proof.code).length;
  t.comment(`${more} bytes more`);
  t.ok(more < 2_000, `${more} bytes`);
});
