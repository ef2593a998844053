// The program of a bundled service: `tools/bundle.js` copies it to `dist/bundle/server.js`, beside the bundle `service.cjs`.
//
// When the first process ends, it writes what V8 has compiled to `.compile-cache`; the next start takes half the processor
// time. Where it may not write, each start compiles.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const digestBytes = 32;
const folder = import.meta.dirname;
const filename = join(folder, 'service.cjs');
const require = createRequire(filename);
const bundle = Object.assign(new Module(filename), { filename, loaded: true });
// The files beside it import what they share with it: they get this one, and do not run it again.
require.cache[filename] = bundle;
const __import = (specifier) => import(specifier);
compile().runInThisContext()(bundle.exports, require, bundle, filename, folder, __import);

/** Reads and compiles in a function, so that the five megabytes of source and cache are freed afterwards. */
function compile() {
  const source = readFileSync(filename);
  // V8 itself compares versions, flags and the features of the processor, but of the source only its length.
  const name = `${sha256(source).toString('hex').slice(0, 32)}-${cachedDataVersionTag()}`;
  const cacheFile = join(folder, '.compile-cache', name);
  const cachedData = readKept(cacheFile);
  // As Node wraps a CommonJS module: on the same line, so that a stack trace counts lines as the file does. `import()` is
  // a parameter, because a script by itself can load no modules.
  const parameters = 'exports, require, module, __filename, __dirname, __import';
  const wrapped = `(function (${parameters}) {${source.toString('latin1')}\n})`;
  const script = new Script(wrapped, { filename, cachedData });
  // The end is when the functions are there, too, that V8 compiles at their first call.
  if (cachedData === undefined || script.cachedDataRejected) {
    process.once('exit', () => keepCompiled(script, cacheFile));
  }
  return script;
}

/** V8 may crash on damaged data, so that a file that a power failure left behind must not reach it. */
function readKept(cacheFile) {
  try {
    const file = readFileSync(cacheFile);
    const data = file.subarray(digestBytes);
    return sha256(data).equals(file.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function keepCompiled(script, cacheFile) {
  // Another process may be starting or ending: a file gets its name when it is whole.
  const part = `${cacheFile}.${process.pid}`;
  try {
    const data = script.createCachedData();
    mkdirSync(dirname(cacheFile), { recursive: true });
    try {
      writeFileSync(part, Buffer.concat([sha256(data), data]));
      renameSync(part, cacheFile);
    } finally {
      rmSync(part, { force: true });
    }
  } catch {
    // A read-only folder, or a full disk: the next start compiles again.
  }
}

function sha256(data) {
  return createHash('sha256').update(data).digest();
}
