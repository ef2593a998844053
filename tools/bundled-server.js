// Program of a bundled service: `tools/bundle.js` copies it to `dist/bundle/server.js`, beside the bundle `service.cjs`.
//
// A few seconds after its start, the first process writes V8's compiled code to `.compile-cache`, which halves the processor
// time of the next start. In a read-only folder, each start compiles again.
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const digestBytes = 32;
/** Longer than a start takes. */
const keepAfterMs = 5000;
const folder = import.meta.dirname;
const filename = join(folder, 'service.cjs');
const require = createRequire(filename);
const bundle = Object.assign(new Module(filename), { filename, loaded: true });
// Neighbouring files import their shared code from here: they get this module and do not run it again.
require.cache[filename] = bundle;
const __import = (specifier) => import(specifier);
compile().runInThisContext()(bundle.exports, require, bundle, filename, folder, __import);

/** Reads and compiles inside a function, so that five megabytes of source and cache are freed afterwards. */
function compile() {
  const source = readFileSync(filename);
  // V8 compares versions, flags and processor features, but only the length of the source.
  const name = `${sha256(source).toString('hex').slice(0, 32)}-${cachedDataVersionTag()}`;
  const cacheFile = join(folder, '.compile-cache', name);
  const cachedData = readKept(cacheFile);
  // Wrapped as Node wraps a CommonJS module: on the same line, so that line numbers in stack traces match. `import()` is a
  // parameter, because a script cannot load modules by itself.
  const parameters = 'exports, require, module, __filename, __dirname, __import';
  const wrapped = `(function (${parameters}) {${source.toString('latin1')}\n})`;
  const script = new Script(wrapped, { filename, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) keepOnce(script, cacheFile);
  return script;
}

/**
 * Keeps the compiled code after the start, or at the end of a shorter process: then it has the functions that V8 compiles at
 * their first call. Later V8 discards those that only a start calls.
 */
function keepOnce(script, cacheFile) {
  const keep = () => keepCompiled(script, cacheFile);
  process.once('exit', keep);
  setTimeout(() => {
    process.off('exit', keep);
    keep();
  }, keepAfterMs).unref();
}

/** V8 may crash on damaged data, so reject files that a power failure truncated. */
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
  // Another process may be starting or ending, so rename only the complete file.
  const part = `${cacheFile}.${process.pid}`;
  try {
    mkdirSync(dirname(cacheFile), { recursive: true });
    // Before the work, which delays requests by tens of milliseconds.
    accessSync(dirname(cacheFile), constants.W_OK);
    const data = script.createCachedData();
    try {
      writeFileSync(part, Buffer.concat([sha256(data), data]));
      renameSync(part, cacheFile);
    } finally {
      rmSync(part, { force: true });
    }
  } catch {
    // Read-only folder or full disk: the next start compiles again.
  }
}

function sha256(data) {
  return createHash('sha256').update(data).digest();
}
