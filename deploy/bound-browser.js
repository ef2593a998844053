// A Chromium with Device Bound Session Credentials, which Debian's newer ones ignore. It stays beside the dependencies.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './prepare.js';

const version = '150.0.7871.100-1~deb12u1';
const folder = join(root, 'node_modules', '.tollgate-chromium-150');

/**
 * Finds it: as `CHROMIUM_DBSC` says, as the installed browser, or as an earlier run has unpacked it; else downloads the
 * packages of Debian 12, whose libraries are those of the installed browser.
 * @param {string} installed the installed Chromium
 * @returns {string} the program; an empty text when it cannot be had: then a line says that its tests are skipped
 */
export function provideBoundBrowser(installed) {
  const named = process.env.CHROMIUM_DBSC;
  const unpacked = join(folder, 'usr', 'lib', 'chromium', 'chromium');
  const isRight = (program) => /^Chromium 1(49|50)\./.test(run(program, ['--version']).output ?? '');
  const found = [named, unpacked, installed].find(
    (program) => program && existsSync(program) && isRight(program),
  );
  if (found) return found;
  if (process.getuid?.() === 0) unpack();
  if (existsSync(unpacked) && isRight(unpacked)) return unpacked;
  console.log('SKIPPED device-bound browser tests: no Chromium 149 or 150 (CHROMIUM_DBSC)');
  return '';
}

function unpack() {
  console.log('Downloading Chromium 150 …');
  mkdirSync(folder, { recursive: true });
  const packages = ['chromium', 'chromium-common'].map((name) => `${name}=${version}`);
  run('apt-get', ['download', '-qq', ...packages], { cwd: folder });
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    if (run('dpkg', ['-x', join(folder, name), folder]).ok) rmSync(join(folder, name));
}
