// Runs buildah with its own storage, without a daemon and without container namespaces (chroot isolation).
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const traceOptions = ['-f', '--seccomp-bpf', '-e', 'trace=open,openat,execve', '-e', 'status=successful'];

/** Storage for images and containers in a folder. */
export class Buildah {
  #options;
  #traces;
  #started = 0;

  /** @param {string} folder created by buildah, kept until it is removed */
  constructor(folder) {
    const place = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
    this.#options = [...place, '--storage-driver', driverOf(place)];
    this.#traces = join(folder, 'traces');
    rmSync(this.#traces, { recursive: true, force: true });
    mkdirSync(this.#traces, { recursive: true });
  }

  /** Runs a buildah command and returns its output. @throws Error with the last lines */
  read(command, ...args) {
    const result = spawnSync('buildah', [command, ...this.#options, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (result.status === 0) return result.stdout.trim();
    throw new Error(`buildah ${command} failed:\n${result.error?.message ?? lastLines(result.stderr)}`);
  }

  /** The same, with output in the terminal. */
  show(command, ...args) {
    const { status } = spawnSync('buildah', [command, ...this.#options, ...args], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) throw new Error(`buildah ${command} failed`);
  }

  /** Starts a command in a container, recording the files that it opens, with `volumes` (from outside to inside) and environment variables (`env`). */
  start(container, command, { volumes = {}, env = {}, input } = {}) {
    const mounts = Object.entries(volumes).flatMap(([outside, inside]) => [
      '--volume',
      `${outside}:${inside}`,
    ]);
    const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const args = ['run', ...this.#options, '--isolation', 'chroot', ...mounts, ...variables];
    this.#started += 1;
    const trace = join(this.#traces, `${container}.${this.#started}`);
    const child = spawn(
      'strace',
      [...traceOptions, '-o', trace, 'buildah', ...args, container, '--', ...command],
      {
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      },
    );
    child.stdin?.end(input);
    return child;
  }

  /** Returns the paths inside a container that its commands have opened. */
  opened(container) {
    const traces = readdirSync(this.#traces).filter((name) => name.startsWith(`${container}.`));
    return new Set(traces.flatMap((name) => openedIn(readFileSync(join(this.#traces, name), 'utf8'))));
  }

  has(image) {
    return spawnSync('buildah', ['inspect', ...this.#options, '--type', 'image', image]).status === 0;
  }
}

/** The paths that Node and its threads opened; buildah's own processes come before. */
function openedIn(trace) {
  const lines = trace.split('\n');
  const start = lines.findIndex((line) => /^\d+ +execve\("[^"]*\/node"/.test(line));
  const pidOf = (line) => line.split(' ', 1)[0];
  const before = new Set(lines.slice(0, start).map(pidOf));
  before.delete(pidOf(lines[start] ?? ''));
  return lines
    .slice(start)
    .filter((line) => !before.has(pidOf(line)))
    .flatMap((line) => /(?:open|openat|execve)\((?:AT_FDCWD, )?"([^"]+)"/.exec(line)?.[1] ?? []);
}

/** Overlay if the kernel and the file system allow it; otherwise every layer is a copy. */
function driverOf(place) {
  const isOverlay = spawnSync('buildah', ['info', ...place, '--storage-driver', 'overlay']).status === 0;
  return isOverlay ? 'overlay' : 'vfs';
}

function lastLines(text) {
  return text.trim().split('\n').slice(-15).join('\n');
}
