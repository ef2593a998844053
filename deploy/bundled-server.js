// The program of a bundled service: `deploy/bundle.js` copies it to `dist/bundle/server.js`, beside the bundle `service.cjs`.
//
// It keeps what V8 has compiled, as the first process leaves it at its end, so that the next one starts in half the
// processor time. Where it may not write, each start compiles.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const digestBytes = 32;
const folder = import.meta.dirname;
const filename = join(folder, 'service.cjs');
const source = readFileSync(filename);
const cacheFile = join(folder, '.compile-cache', nameOfCache());
const cachedData = readKept();
// As Node wraps a CommonJS module: on the same line, so that a stack trace counts lines as the file does. `import()` is a
// parameter, because on Node 20 what was kept can load no modules.
const parameters = 'exports, require, module, __filename, __dirname, __import';
const wrapped = `(function (${parameters}) {${source.toString('latin1')}\n})`;
const script = new Script(wrapped, { filename, cachedData });
// At the end it also holds the functions that are compiled when they are first called.
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', keepCompiled);
const bundle = { exports: {} };
const __import = (specifier) => import(specifier);
script.runInThisContext()(bundle.exports, createRequire(filename), bundle, filename, folder, __import);

/** V8 itself compares versions and flags, but of the source only its length. */
function nameOfCache() {
  return `${sha256(source).toString('hex').slice(0, 32)}-${cachedDataVersionTag()}`;
}

/** V8 may crash on damaged data, so that a file that a power failure left behind must not reach it. */
function readKept() {
  try {
    const file = readFileSync(cacheFile);
    const data = file.subarray(digestBytes);
    return sha256(data).equals(file.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function keepCompiled() {
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
