// Writes what the compiler cannot: the solver's kernels, and their types, next to its compiled code.
//
//   node client/build.js
//       after `tsc -b`; does nothing when all is there and newer than what it is made from
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('./src/solver/', import.meta.url);
const generator = new URL('./build/', import.meta.url);
const output = new URL('./dist/src/solver/', import.meta.url);

const types = ['js-kernel.d.ts', 'wasm-kernels.d.ts'];
const made = ['js-kernel.js', 'wasm-kernels.js', ...types].map((name) => new URL(name, output));
const madeFrom = [
  new URL(import.meta.url),
  ...readdirSync(generator).map((name) => new URL(name, generator)),
  ...['block-layout.js', 'wasm-memory.js'].map((name) => new URL(name, output)),
  ...types.map((name) => new URL(name, source)),
];

const changedMs = (file) => statSync(file).mtimeMs;
const isUpToDate =
  made.every((file) => existsSync(file)) &&
  Math.min(...made.map(changedMs)) >= Math.max(...madeFrom.map(changedMs));

if (!isUpToDate) await build();

async function build() {
  if (!existsSync(new URL('block-layout.js', output))) {
    console.error(`${fileURLToPath(output)} is not there: run tsc -b first`);
    process.exit(1);
  }
  // Only now: they read what the compiler has written.
  const [{ writeJsKernel }, { writeScalarModule, writeSimdModule }, { assemble }] = await Promise.all([
    import('./build/js-kernel.js'),
    import('./build/wat-kernels.js'),
    import('./build/assemble.js'),
  ]);
  const modules = {
    simdModule: await assemble(writeSimdModule()),
    scalarModule: await assemble(writeScalarModule()),
  };
  const exported = Object.entries(modules).map(([name, base64]) => `export const ${name} = '${base64}';\n`);
  writeFileSync(new URL('js-kernel.js', output), writeJsKernel());
  writeFileSync(new URL('wasm-kernels.js', output), `// Made by client/build.js.\n${exported.join('')}`);
  for (const name of types) {
    writeFileSync(new URL(name, output), readFileSync(new URL(name, source)));
  }
}
