// A Chromium with Device Bound Session Credentials, which Debian's newer ones ignore. It stays beside the dependencies.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, runBeside } from './prepare.js';

const version = '150.0.7871.100-1~deb12u1';
const folder = join(root, 'node_modules', '.tollgate-chromium-150');

/**
 * Finds it: as `CHROMIUM_DBSC` says, as the installed browser, or as an earlier run has unpacked it; else downloads the
 * packages of Debian 12, whose libraries are those of the installed browser.
 * @param {string} installed the installed Chromium
 * @returns {Promise<string>} the program; an empty text when it cannot be had: then a line says that its tests are skipped
 */
export async function provideBoundBrowser(installed) {
  const named = process.env.CHROMIUM_DBSC;
  const unpacked = join(folder, 'usr', 'lib', 'chromium', 'chromium');
  for (const program of [named, unpacked, installed]) if (await isRight(program)) return program;
  if (process.getuid?.() === 0) await unpack();
  if (await isRight(unpacked)) return unpacked;
  console.log('SKIPPED device-bound browser tests: no Chromium 149 or 150 (CHROMIUM_DBSC)');
  return '';
}

async function isRight(program) {
  if (!program || !existsSync(program)) return false;
  return /^Chromium 1(49|50)\./.test((await runBeside(program, ['--version'])).output);
}

async function unpack() {
  console.log('Downloading Chromium 150 …');
  mkdirSync(folder, { recursive: true });
  const packages = ['chromium', 'chromium-common'].map((name) => `${name}=${version}`);
  await runBeside('apt-get', ['download', '-qq', ...packages], { cwd: folder });
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    if ((await runBeside('dpkg', ['-x', join(folder, name), folder])).ok) rmSync(join(folder, name));
}
