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
 * @param {readonly string[]} [rare] those that only some systems have: asked for where the lists of packages name them
 */
export async function installWithApt(packages, rare = []) {
  if (packages.length + rare.length === 0 || process.getuid?.() !== 0 || !find(['apt-get'])) return;
  // Without a list, as on a new machine, nothing is known before the update.
  if (packages.length === 0 && (await known(rare)).length === 0) return;
  await apt('update');
  const wanted = [...packages, ...(await known(rare))];
  console.log(`Installing ${wanted.join(' ')} …`);
  if ((await install(wanted)) || wanted.length === 1) return;
  for (const name of wanted) await install([name]);
}

/** Waits for another apt, such as that of a run which has ended meanwhile. */
const waiting = ['-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`];
const install = (packages) => apt('install', '-y', '--no-install-recommends', ...waiting, ...packages);

const apt = (...args) => succeeds('apt-get', '-qq', ...args);

/** Resolves with those of the packages that are in the lists. */
async function known(packages) {
  const found = await Promise.all(packages.map((name) => succeeds('apt-cache', 'show', name)));
  return packages.filter((_name, at) => found[at]);
}

/** Runs a program without pipes, so that it comes to its end even if this process does not. */
async function succeeds(program, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const child = spawn(program, args, { env, stdio: 'ignore' });
  const [code] = await once(child, 'close').catch(() => []);
  return code === 0;
}
