// Programs of the machine, and the packages of Debian that bring what is missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const lockTimeoutSeconds = 600;

/**
 * Finds a program.
 * @param {readonly string[]} names what it may be called, the best first
 * @param {readonly string[]} [furtherFolders] where it may be beside the PATH and the usual folders
 * @returns {string | undefined} its path
 */
export function find(names, furtherFolders = []) {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/local/bin',
    '/usr/sbin',
    ...furtherFolders,
  ];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path));
}

/**
 * Installs packages where that is allowed: for root, with apt. All in one call, because each takes seconds for itself;
 * one by one where that fails, so that a package that this system does not have keeps none of the others away.
 * @param {readonly string[]} packages
 */
export async function installWithApt(packages) {
  if (packages.length === 0 || process.getuid?.() !== 0 || !find(['apt-get'])) return;
  console.log(`Installing ${packages.join(' ')} …`);
  await apt('update');
  if ((await install(packages)) || packages.length === 1) return;
  for (const name of packages) await install([name]);
}

/** Waits for another apt, such as that of a run which has ended meanwhile. */
const waiting = ['-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`];
const install = (packages) => apt('install', '-y', '--no-install-recommends', ...waiting, ...packages);

/** Without pipes, so that it comes to its end even if this process does not. @returns whether it is done */
async function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const child = spawn('apt-get', ['-qq', ...args], { env, stdio: 'ignore' });
  const [code] = await once(child, 'close').catch(() => []);
  return code === 0;
}
