// Installs the dependencies of the lock file, when they are not there yet.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keep } from './kept.js';
import { linkTree } from './link-tree.js';
import { giveUp, npmCommand, readIfThere, root, run, runBeside } from './prepare.js';

/** What npm says first is the reason; its manual follows. */
const linesOfFailure = 12;
const fetchMs = 30_000;
// All of them, whatever npm is set up for: the compiler is one for development.
const kinds = ['--include=dev', '--include=optional', '--include=peer'];
const npmArguments = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...kinds];
/** Without a cache npm installs here, and what it has installed is moved into place. */
const stage = join(root, '.tollgate-install');
/** npm links the workspaces by absolute paths on Windows, which would lead into the cache. */
const hasRelativeLinks = process.platform !== 'win32';
/** Stands for the registry that npm is set up with; npm replaces it. */
const anyRegistry = 'https://registry.invalid';

/**
 * Installs what the lock file names, unless it is there; ends the process with a clear message when that fails. What npm
 * has installed is kept for further clones, which get links to the same files.
 */
export async function install() {
  const stamp = join(root, 'node_modules', '.tollgate-installed');
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(text).digest('hex');
  if (readIfThere(stamp) === wanted) return;
  console.log('Installing dependencies …');
  rmSync(stamp, { force: true });
  if (!(await installByAddress(JSON.parse(text), wanted))) {
    const { ok, output } = await runBeside(...npmCommand(npmArguments));
    if (!ok) giveUp(`npm ci failed:\n${output.split('\n').slice(0, linesOfFailure).join('\n')}`);
  }
  fetchCanvas();
  writeFileSync(stamp, wanted);
}

/**
 * Installs without asking the registry what it has: from the cache, else from where registries have their packages.
 * @returns whether it is done; a registry may have other addresses
 */
async function installByAddress(lock, digest) {
  let isRefused = false;
  const fill = async (place) => {
    isRefused = !(await runNpm(place, lock));
    return !isRefused;
  };
  return (await linkKept(lock, digest, fill)) || (!isRefused && (await installHere(lock, fill)));
}

/** @returns whether it is done; not without a cache that can be used */
async function linkKept(lock, digest, fill) {
  if (!hasRelativeLinks) return false;
  // Packages have other programs for other C libraries.
  const library = process.report.getReport().header.glibcVersionRuntime === undefined ? 'other' : 'glibc';
  const machine = `${process.platform}-${process.arch}-${library}-${process.versions.modules}`;
  try {
    const name = `modules-${machine}-${digest.slice(0, 16)}`;
    const kept = await keep(name, fill, { works: hasPrograms, isShared: true });
    if (kept === undefined) return false;
    placeModules(kept, lock, linkTree);
    return true;
  } catch {
    // Somebody else's files, a full disk, or another run that has just replaced what is kept.
    return false;
  }
}

/** npm passes over optional packages that it cannot fetch, and the programs are among them. */
async function hasPrograms(place) {
  const programs = ['typescript/bin/tsc', '@biomejs/biome/bin/biome'];
  return programs.every((path) => run(process.execPath, [join(place, 'node_modules', path), '--version']).ok);
}

/** @returns whether it is done */
async function installHere(lock, fill) {
  rmSync(stage, { recursive: true, force: true });
  const isDone = await fill(stage);
  if (isDone) placeModules(stage, lock, renameSync);
  rmSync(stage, { recursive: true, force: true });
  return isDone;
}

const workspacesOf = ({ packages }) => Object.keys(packages).filter((path) => !path.includes('node_modules'));

/**
 * Installs from a copy of the lock file that has the address of each package, as registries form it. Without addresses
 * npm asks the registry about every package and reads all that it knows of it, which takes longer than to install it.
 * @returns whether it is done
 */
async function runNpm(place, lock) {
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.integrity && !entry.resolved) entry.resolved = addressOf(path, entry);
  }
  for (const folder of workspacesOf(lock)) {
    mkdirSync(join(place, folder), { recursive: true });
    cpSync(join(root, folder, 'package.json'), join(place, folder, 'package.json'));
  }
  writeFileSync(join(place, 'package-lock.json'), JSON.stringify(lock));
  const [npm, args, options] = npmCommand([
    ...npmArguments,
    '--replace-registry-host=always',
    '--omit-lockfile-registry-resolved',
  ]);
  return (await runBeside(npm, args, { ...options, cwd: place })).ok;
}

function addressOf(path, { name = path.slice(path.lastIndexOf('node_modules/') + 13), version }) {
  return `${anyRegistry}/${name}/-/${name.split('/').pop()}-${version}.tgz`;
}

/** The links to workspaces are relative, so they lead to the same folders from here. */
function placeModules(from, lock, place) {
  for (const folder of workspacesOf(lock)) {
    const modules = join(root, folder, 'node_modules');
    const installed = join(from, folder, 'node_modules');
    rmSync(modules, { recursive: true, force: true });
    if (existsSync(installed)) place(installed, modules);
  }
}

/**
 * Fetches the compiled part of `canvas`, the first image library, which its install script would do. Where it cannot be
 * had, the second library draws.
 */
function fetchCanvas() {
  const program = join(root, 'node_modules', 'prebuild-install', 'bin.js');
  const cwd = join(root, 'node_modules', 'canvas');
  if (existsSync(program) && existsSync(cwd)) {
    run(process.execPath, [program, '--runtime', 'napi'], { cwd, timeout: fetchMs });
  }
}
