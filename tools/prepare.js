// Makes a clone ready to run: a supported Node, the locked dependencies, the compiled code.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const oldestNode = [20, 19];
/** npm writes this file last. */
const installedFile = join('node_modules', '.package-lock.json');
/** npm prints the reason first, then its manual. */
const linesOfFailure = 12;
const fetchMs = 30_000;
// Every kind of dependency, whatever npm's settings: the compiler is a development dependency.
const npmArguments =
  'ci --ignore-scripts --no-audit --no-fund --loglevel=error --include=dev --include=optional --include=peer'.split(
    ' ',
  );

/** Ends the command with one line for the user. */
export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/**
 * Runs a program in the project's root and waits for it.
 * @returns {{ ok: boolean, output: string }} `output` is empty if the terminal shows it (`visible`)
 */
export function run(command, args, options = {}) {
  const { visible = false, env = process.env, shell = false, cwd = root, timeout } = options;
  const result = spawnSync(command, args, {
    cwd,
    timeout,
    env,
    shell,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: visible ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim();
  return { ok: result.status === 0, output };
}

/** Returns the npm command: the one that started this command, otherwise the one on the PATH. */
export function npmCommand(args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('npm-cli.js')) return [process.execPath, [script, ...args]];
  return ['npm', args, { shell: process.platform === 'win32' }];
}

/** Installs missing dependencies and compiles; on failure ends the process with a clear message. */
export function prepare() {
  requireNode();
  install();
  const { ok, output } = run(...npmCommand(['run', '--silent', 'build']));
  if (!ok) giveUp(`The code does not compile:\n${output}`);
}

/** Ends the process with one line if Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  giveUp(`Tollgate needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}.`);
}

/** Installs the locked dependencies, unless npm has installed since the lock file changed. */
function install() {
  const changedMs = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedMs(installedFile) < changedMs('package-lock.json')) installDependencies();
}

/** Installs the locked dependencies anew. */
export function installDependencies() {
  console.log('Installing dependencies …');
  const { ok, output } = run(...npmCommand(npmArguments));
  if (!ok) {
    // Otherwise a partial installation would count as complete.
    rmSync(join(root, installedFile), { force: true });
    giveUp(`npm ci failed:\n${output.split('\n').slice(0, linesOfFailure).join('\n')}`);
  }
  fetchCanvas();
}

/**
 * Fetches the compiled part of `canvas`, the first image library, as its install script does. Without it the second
 * library is used.
 */
function fetchCanvas() {
  const program = join(root, 'node_modules', 'prebuild-install', 'bin.js');
  const cwd = join(root, 'node_modules', 'canvas');
  if (existsSync(program) && existsSync(cwd)) {
    run(process.execPath, [program, '--runtime', 'napi'], { cwd, timeout: fetchMs });
  }
}

/** Installs the lab's own packages and compiles it. */
export function prepareLab() {
  const { ok, output } = run(...npmCommand(['run', '--silent', 'lab']));
  if (!ok) giveUp(`The lab does not compile:\n${output}`);
}
