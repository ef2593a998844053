// Makes a clone ready to run: the right Node, the dependencies of the lock file, the compiled code.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const oldestNode = [20, 19];
const packageFolders = ['shared', 'host', 'services', 'client', 'deploy', 'bench'];
/** The cache is what a service writes beside its bundle. */
const unbuiltFolders = new Set(['node_modules', '.compile-cache']);
const builtFile = /\.(?:[cm]?[jt]sx?|json|wat|tsbuildinfo)$/;

/**
 * Programs in Go, such as Caddy, collect garbage whenever their memory has doubled; they end within
 * seconds, and five times as much costs a third less processor time.
 */
export const goVariables = { GOGC: '400' };

/** The compiler collects garbage only where it would need more memory than this, which is little more than it needs. */
export const compilerVariables = { GOGC: 'off', GOMEMLIMIT: '2GiB' };

/** Ends the command with one line for the person who typed it. */
export function giveUp(line) {
  console.error(line);
  process.exit(1);
}

/**
 * Runs a program in the project's root and waits for it.
 * @returns {{ ok: boolean, output: string }} `output` is empty when the terminal shows it (`visible`)
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

/** Runs a program, in the project's root unless said, beside this one. Resolves as `run` returns. */
export async function runBeside(command, args, { env = process.env, shell = false, cwd = root } = {}) {
  const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const ok = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  return { ok, output: output.trim() };
}

/** Returns the command that runs npm: the one that started this command, else the one on the PATH. */
export function npmCommand(args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('npm-cli.js')) return [process.execPath, [script, ...args]];
  return ['npm', args, { shell: process.platform === 'win32' }];
}

/**
 * Installs what is missing and compiles; ends the process with a clear message when that fails.
 * @param {() => void} [onInstalled] called once the dependencies are there: what it starts goes on beside the compiler
 */
export async function prepare(onInstalled = () => {}) {
  requireNode();
  // Loaded here, because the build of an image has this file alone.
  const { install } = await import('./install.js');
  await install();
  onInstalled();
  await build();
}

/** Ends the process with one line on a Node that is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  giveUp(`Tollgate needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}.`);
}

/** Compiles what has changed since the last build; where nothing has, a look at the files is enough. */
async function build() {
  const stamp = join(root, 'node_modules', '.tollgate-built');
  const sources = stateOf(false);
  if (readIfThere(stamp) === `${sources} ${stateOf(true)}`) return;
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await write('shared/build.js');
  // Several checkers would each read the types of all dependencies, which takes half as much processor time again.
  const env = { ...compilerVariables, ...process.env };
  const { ok, output } = await runBeside(process.execPath, [compiler, '-b', '--checkers', '1'], { env });
  if (!ok) giveUp(`The code does not compile:\n${output}`);
  for (const program of ['client/build.js', 'client/bundle.js', 'deploy/bundle.js']) await write(program);
  // The sources as they were before: a change meanwhile is compiled next time.
  writeFileSync(stamp, `${sources} ${stateOf(true)}`);
}

/** Runs a program that writes what is not compiled: the modules of HashWX and of the solver, the prebuilt file, the bundles. */
async function write(program) {
  const { ok, output } = await runBeside(process.execPath, [join(root, program)]);
  if (!ok) giveUp(`${program} failed:\n${output}`);
}

/**
 * Returns the hash of names, sizes and times of the files that a build reads or, in the folders `dist`, writes.
 * @param {boolean} isOutput
 */
function stateOf(isOutput) {
  const hash = createHash('sha256');
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const visit = (folder, isInside) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!unbuiltFolders.has(entry.name)) visit(path, isInside || entry.name === 'dist');
      } else if (isInside === isOutput && builtFile.test(entry.name)) add(path);
    }
  };
  for (const folder of packageFolders) visit(join(root, folder), false);
  for (const file of isOutput ? [] : ['package.json', 'package-lock.json', 'tsconfig.json'])
    add(join(root, file));
  return hash.digest('hex');
}

/** Returns the text of a file; undefined where there is none. */
export function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
