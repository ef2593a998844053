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
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(import.meta.resolve('@tollgate/client/session')),
        preserveEntrySignatures: 'strict',
      },
    },
  });
  if (!('output' in built)) throw new Error('nothing was built');
  t.equal(built.output.length, 1, 'one file');
  const [{ code, exports, imports }] = built.output;
  t.same([...exports].sort(), ['SessionError', 'createSession']);
  t.same(imports, []);
  const bytes = gzipSync(code).length;
  t.comment(`${bytes} bytes`);
  t.ok(bytes < 4_000, `${bytes} bytes`);
});
