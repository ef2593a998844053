// Copies the prebuilt browser file, its languages and the widget files into the challenge service, each with compressed
// copies, so that no request has to compress anything; and the script of a page into the session service.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './prepare.js';

const built = join(root, 'packages', 'client', 'dist');
const served = join(root, 'services', 'challenge-service', 'dist', 'browser');

/** The script of `/refresh/continue`, and its copy in the session service, which inlines it. */
const continueScript = join(built, 'page', 'continue.js');
const inlined = join(root, 'services', 'session-service', 'dist', 'browser', 'continue.js');

/** Writes the files unless they are newer than their sources. @throws Error if the prebuilt file is missing */
export function writeBrowserFiles() {
  writeContinueScript();
  writeServedFiles();
}

function writeContinueScript() {
  if (changedMs(inlined) > changedMs(continueScript)) return;
  const script = readFileSync(continueScript, 'utf8').trim();
  if (/<\/script|<!--/i.test(script)) throw new Error(`${continueScript} cannot be inlined in HTML`);
  mkdirSync(dirname(inlined), { recursive: true });
  writeFileSync(inlined, script);
}

function writeServedFiles() {
  const scriptsIn = (folder) => {
    const scripts = readdirSync(join(built, folder)).filter((name) => name.endsWith('.js'));
    return scripts.sort().map((name) => `${folder}/${name}`);
  };
  const names = ['tollgate.js', 'classic.js', ...scriptsIn('tollgate'), 'frame.js', ...scriptsIn('drop-in')];
  const files = names.flatMap((name) => [name, `${name}.br`, `${name}.gz`]);
  const sources = [fileURLToPath(import.meta.url), ...names.map((name) => join(built, name))];
  if (isNewer(files, Math.max(...sources.map(changedMs)))) return;
  rmSync(served, { recursive: true, force: true });
  for (const name of names) {
    const bytes = readFileSync(join(built, name));
    const file = join(served, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: brotliParameters(bytes.length) }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
}

function brotliParameters(bytes) {
  return {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
  };
}

/** Whether exactly these files are served, all changed after the given time. */
function isNewer(files, ms) {
  const present = statSync(served, { throwIfNoEntry: false }) === undefined ? [] : filesIn(served);
  return present.length === files.length && files.every((name) => changedMs(join(served, name)) > ms);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
}

/** Modification time in milliseconds; 0 for a missing file. */
function changedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
