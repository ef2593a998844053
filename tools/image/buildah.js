// Runs buildah with its own storage, without a daemon and without container namespaces (chroot isolation).
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Storage for images and containers in a folder. */
export class Buildah {
  #options;

  /** @param {string} folder created by buildah, kept until it is removed */
  constructor(folder) {
    const place = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
    this.#options = [...place, '--storage-driver', driverOf(place)];
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

  /** Starts a command in a container with `volumes` (from outside to inside) and environment variables (`env`). */
  start(container, command, { volumes = {}, env = {}, input } = {}) {
    const mounts = Object.entries(volumes).flatMap(([outside, inside]) => [
      '--volume',
      `${outside}:${inside}`,
    ]);
    const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const args = ['run', ...this.#options, '--isolation', 'chroot', ...mounts, ...variables];
    const child = spawn('buildah', [...args, container, '--', ...command], {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.end(input);
    return child;
  }

  has(image) {
    return spawnSync('buildah', ['inspect', ...this.#options, '--type', 'image', image]).status === 0;
  }
}

/** Overlay if the kernel and the file system allow it; otherwise every layer is a copy. */
function driverOf(place) {
  const isOverlay = spawnSync('buildah', ['info', ...place, '--storage-driver', 'overlay']).status === 0;
  return isOverlay ? 'overlay' : 'vfs';
}

function lastLines(text) {
  return text.trim().split('\n').slice(-15).join('\n');
}
