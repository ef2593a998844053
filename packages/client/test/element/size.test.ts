// Bundle size of the element.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { build } from 'vite';

const entry = fileURLToPath(import.meta.resolve('@tollgate/client/element'));

t.test(
  'the element, bundled and minified, is smaller than 20 kB compressed, and importing it defines it',
  async (t) => {
    const built = await build({
      configFile: false,
      logLevel: 'silent',
      plugins: [
        {
          name: 'page',
          resolveId: (id) => (id === 'page' ? id : undefined),
          load: (id) => (id === 'page' ? `import ${JSON.stringify(entry)};` : undefined),
        },
      ],
      build: { write: false, modulePreload: false, assetsInlineLimit: 0, rolldownOptions: { input: 'page' } },
      worker: { format: 'es' },
    });
    if (!('output' in built)) throw new Error('nothing was built');
    const [{ code }] = built.output;
    t.match(code, /customElements[^;]*\.define/);
    const bytes = gzipSync(code).length;
    t.comment(`${bytes} bytes`);
    t.ok(bytes < 20_000, `${bytes} bytes`);
  },
);
