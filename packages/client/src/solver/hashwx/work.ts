// A challenge in HashWX: whether it is one, whether this page can solve it, how many workers it needs, and how far it is.
import type { HashwxTask } from './unit-queue.js';

/** More workers would mostly heat the device, as for SHA-256. */
const mostWorkers = 8;
/** One worker hashes this many in 15 to 60 ms, before a second one has started. */
const hashesPerWorker = 16_384;

/** The most workers: one for each core that the browser reports, 8 at most, and no more than the work needs. */
export function workersForHashwx({ parts, part_hashes }: HashwxTask): number {
  const cores = globalThis.navigator?.hardwareConcurrency || 1;
  return Math.min(cores, mostWorkers, Math.max(1, Math.floor((parts * part_hashes) / hashesPerWorker)));
}

/** The chance that this many hashes solve all parts: a gamma distribution of the shape `parts`. */
export function chanceOf(hashes: number, { parts, part_hashes }: HashwxTask): number {
  const ratio = hashes / part_hashes;
  let term = Math.exp(-ratio);
  let rest = 0;
  for (let part = 0; part < parts; part++) {
    rest += term;
    term *= ratio / (part + 1);
  }
  return Math.max(0, 1 - rest);
}

const isWhole = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most;

/** @throws TypeError if the algorithm is not `hashwx-1`, RangeError for numbers that no challenge has */
export function requireHashwxTask(task: HashwxTask): void {
  if (task.algorithm !== 'hashwx-1') {
    throw new TypeError(
      `The service requires the algorithm "${task.algorithm}", which this version does not support.`,
    );
  }
  if (
    !/^[0-9a-f]{64}$/.test(task.salt) ||
    !isWhole(task.difficulty, 1, 64) ||
    !isWhole(task.parts, 1, 255) ||
    !isWhole(task.part_hashes, 2, 2 ** 32) ||
    !isWhole(task.nonces_per_function, 1, 65_536)
  ) {
    throw new RangeError('The challenge is not one in HashWX.');
  }
}

/** There is no WebAssembly, or the page's policy forbids it. Work in SHA-256 is possible all the same. */
export class HashwxUnavailableError extends Error {
  override readonly name = 'HashwxUnavailableError';

  constructor() {
    super('HashWX needs WebAssembly, which this page does not have.');
  }
}
