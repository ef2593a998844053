// A Chromium with Device Bound Session Credentials, which Debian's newer ones ignore. It is kept for further clones.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { userCache } from './kept.js';
import { runBeside } from './prepare.js';

const version = '150.0.7871.100-1~deb12u1';
const folder = join(userCache, 'tollgate', 'chromium-150.0.7871.100');
const unpacked = join(folder, 'usr', 'lib', 'chromium', 'chromium');

/**
 * Finds it: as `CHROMIUM_DBSC` says, as the installed browser, or as an earlier run has unpacked it; else downloads the
 * packages of Debian 12, whose libraries are those of the installed browser.
 * @param {string} installed the installed Chromium
 * @returns {Promise<string>} the program; an empty text when it cannot be had: then a line says that its tests are skipped
 */
export async function provideBoundBrowser(installed) {
  const named = process.env.CHROMIUM_DBSC;
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

/** What is there is complete: another process may look at any time. */
async function unpack() {
  console.log('Downloading Chromium 150 …');
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    // Another run may have been quicker, and may be using it.
    if (!(await unpackInto(part)) || (await isRight(unpacked))) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function unpackInto(part) {
  const packages = ['chromium', 'chromium-common'].map((name) => `${name}=${version}`);
  const { ok } = await runBeside('apt-get', ['download', '-qq', ...packages], { cwd: part });
  if (!ok) return false;
  for (const name of readdirSync(part).filter((name) => name.endsWith('.deb'))) {
    const file = join(part, name);
    if (!(await runBeside('dpkg', ['-x', file, part])).ok) return false;
    rmSync(file);
  }
  return true;
}
