// A Chromium with Device Bound Session Credentials, which Debian's newer ones ignore. It is kept for further clones.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keep } from './kept.js';
import { runBeside } from './prepare.js';

const version = '150.0.7871.100-1~deb12u1';
const programIn = (folder) => join(folder, 'usr', 'lib', 'chromium', 'chromium');

/**
 * Finds it: as `CHROMIUM_DBSC` says, as the installed browser, or as an earlier run has unpacked it; else downloads the
 * packages of Debian 12, whose libraries are those of the installed browser.
 * @param {string} installed the installed Chromium
 * @returns {Promise<string>} the program; an empty text when it cannot be had: then a line says that its tests are skipped
 */
export async function provideBoundBrowser(installed) {
  const named = process.env.CHROMIUM_DBSC;
  for (const program of [named, installed]) if (await isRight(program)) return program;
  const works = (folder) => isRight(programIn(folder));
  const folder = await keep('chromium-150.0.7871.100', unpackInto, { works });
  if (folder !== undefined) return programIn(folder);
  console.log('SKIPPED device-bound browser tests: no Chromium 149 or 150 (CHROMIUM_DBSC)');
  return '';
}

async function isRight(program) {
  if (!program || !existsSync(program)) return false;
  return /^Chromium 1(49|50)\./.test((await runBeside(program, ['--version'])).output);
}

async function unpackInto(part) {
  if (process.getuid?.() !== 0) return false;
  console.log('Downloading Chromium 150 …');
  const packages = ['chromium', 'chromium-common'].map((name) => `${name}=${version}`);
  const { ok } = await runBeside('apt-get', ['download', '-qq', ...packages], { cwd: part });
  if (!ok) return false;
  for (const name of readdirSync(part).filter((name) => name.endsWith('.deb'))) {
    const file = join(part, name);
    if (!(await runBeside('dpkg', ['-x', file, part])).ok) return false;
    rmSync(file);
  }
  return await isRight(programIn(part));
}
