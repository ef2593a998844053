// HashWX challenges: validation, support on this page, number of workers, and progress.
import type { HashwxTask } from './unit-queue.js';

/** More workers would mostly heat the device, as with SHA-256. */
const mostWorkers = 8;
/** One worker hashes this many in 15 to 60 ms, before a second one has started. */
const hashesPerWorker = 16_384;

/** Maximum workers: one per reported core, at most 8, and no more than the work needs. */
export function workersForHashwx({ parts, part_hashes }: HashwxTask): number {
  const cores = globalThis.navigator?.hardwareConcurrency || 1;
  return Math.min(cores, mostWorkers, Math.max(1, Math.floor((parts * part_hashes) / hashesPerWorker)));
}

/** Returns the chance that this many hashes solve all parts: a gamma distribution with shape `parts`. */
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

/** @throws TypeError if the algorithm is not `hashwx-1`, RangeError for invalid numbers */
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
    throw new RangeError('Invalid HashWX challenge.');
  }
}

/** There is no WebAssembly, or the page's policy forbids it. SHA-256 still works. */
export class HashwxUnavailableError extends Error {
  override readonly name = 'HashwxUnavailableError';

  constructor() {
    super('HashWX requires WebAssembly, which is not available on this page.');
  }
}
