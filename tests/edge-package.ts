// Tests of packages that run at the edge: their size, and independence of everything but the web's interfaces.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import t from 'tap';

/** @param entry URL of the package's main module, as `import.meta.resolve` returns it */
export function testEdgePackage(
  entry: string,
  expected: { readonly exports: readonly string[]; readonly bytes: number; readonly leastFiles: number },
): void {
  t.test(
    `the package, bundled and minified, is smaller than ${expected.bytes} bytes compressed`,
    async (t) => {
      const bundle = await rolldown({ input: fileURLToPath(entry), tsconfig: false });
      const { output } = await bundle.generate({ format: 'es', minify: true });
      await bundle.close();
      t.equal(output.length, 1);
      const [{ code, exports, imports }] = output;
      t.strictSame([exports, imports], [expected.exports, []]);
      const bytes = gzipSync(code).length;
      t.comment(`${bytes} bytes`);
      t.ok(bytes < expected.bytes, `${bytes} bytes`);
    },
  );

  t.test('neither code nor types name a package or a module of Node', async (t) => {
    const folder = new URL('./', entry);
    const files = readdirSync(folder).filter((name) => /\.(js|d\.ts)$/.test(name));
    t.ok(files.length >= expected.leastFiles, files.join(' '));
    for (const name of files) {
      const text = readFileSync(new URL(name, folder), 'utf8');
      for (const [, from = ''] of text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g))
        t.match(from, /^\.\//, name);
      t.notMatch(text, /\b(process|Buffer|NodeJS|reference types)\b/, name);
    }
  });
}
