// Solves a HashWX challenge with its own workers, which end with it.
import type { PoolWorker, WorkerEvents } from '../pool-worker.js';
import type { SolverState } from '../solver-state.js';
import type { UnitMode, UnitReply, UnitRequest } from './messages.js';
import { type HashwxTask, openUnitQueue, type Unit } from './unit-queue.js';
import { chanceOf, HashwxUnavailableError, requireHashwxTask, workersForHashwx } from './work.js';

type UnitWorker = PoolWorker<UnitRequest>;

/** The first two are options because pages load this file on demand, and it must not copy the code that starts workers. */
interface HashwxSearchOptions {
  /** Starts a worker; throws the browser's error if it rejects workers at once. */
  readonly startWorker: (events: WorkerEvents<UnitRequest, UnitReply>) => UnitWorker;
  /** Loads the search on the main thread. */
  readonly loadFallback: () => Promise<typeof import('../main-thread-fallback.js')>;
  /** Number of workers; 0 is the main thread; by default as many as device and work allow. */
  readonly workers: number | undefined;
  /** Hash limit of the search; like all numbers below, in SHA-256 hashes of the same cost. */
  readonly maxHashes: number;
  readonly signal: AbortSignal;
  /** Called when the first unit starts, after the workers have started. */
  readonly onBegin: () => void;
  /** @param chance probability that all parts are solved by now */
  readonly onHashes: (hashes: number, state: SolverState, chance: number) => void;
}

interface HashwxResult {
  /** Solutions of the parts, joined by dots; undefined if `maxHashes` were tried before. */
  readonly nonce: string | undefined;
  readonly hashes: number;
  readonly state: SolverState;
}

interface Work {
  readonly unit: Unit;
  readonly id: number;
  hashes: number;
}

/**
 * @throws TypeError for another algorithm, RangeError for an invalid task, HashwxUnavailableError without WebAssembly,
 *   the signal's reason on abort
 */
export async function searchHashwx(task: HashwxTask, options: HashwxSearchOptions): Promise<HashwxResult> {
  requireHashwxTask(task);
  // An abort while this file was loading has no event any more.
  options.signal.throwIfAborted();
  const { startWorker, loadFallback, maxHashes, signal, onBegin, onHashes } = options;
  const wanted = options.workers ?? workersForHashwx(task);
  const queue = openUnitQueue(task);
  const pool = new Set<UnitWorker>();
  const working = new Map<UnitWorker, Work>();
  let fallback: UnitWorker | undefined;
  let mode: UnitMode = 'compiled';
  let requests = 0;
  let counted = 0;

  const tried = () => [...working.values()].reduce((sum, { hashes }) => sum + hashes, counted);
  const costOfHash = 2 ** task.difficulty / (task.parts * task.part_hashes);
  const ready = () => [...pool].filter(({ path }) => path !== null);

  function state(): SolverState {
    const expected = [...pool].filter(({ isLate }) => !isLate).length;
    const workers = ready().length;
    return { path: mode, workers, degraded: mode !== 'compiled' || workers === 0 || expected < wanted };
  }

  try {
    return await new Promise<HashwxResult>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });

      const events: WorkerEvents<UnitRequest, UnitReply> = {
        onReady(worker) {
          // A worker that hashes in JavaScript may not use WebAssembly.
          if (worker.path === 'js') return reject(new HashwxUnavailableError());
          assign(worker);
        },
        onReply,
        onLate: fallBack,
        onFailed(worker) {
          pool.delete(worker);
          drop(worker);
          fallBack();
        },
      };

      function assign(worker: UnitWorker): void {
        if (worker.path === null || working.has(worker)) return;
        const unit = queue.take();
        if (unit === undefined) return;
        const id = requests++;
        if (id === 0) onBegin();
        working.set(worker, { unit, id, hashes: 0 });
        const { salt, part_hashes: partHashes, nonces_per_function: nonces } = task;
        worker.send({ id, salt, ...unit, nonces, partHashes });
      }

      function drop(worker: UnitWorker): void {
        const work = working.get(worker);
        if (work === undefined) return;
        counted += work.hashes;
        working.delete(worker);
        queue.putBack(work.unit);
      }

      function onReply(worker: UnitWorker, { id, hashes, found, isDone, mode: now }: UnitReply): void {
        const work = working.get(worker);
        if (work?.id !== id) return;
        if (now === null) {
          reject(new HashwxUnavailableError());
          return;
        }
        mode = now;
        work.hashes = hashes;
        if (found !== undefined) queue.solve(work.unit, found);
        else if (isDone) queue.finish(work.unit);
        if (found !== undefined || isDone) {
          counted += hashes;
          working.delete(worker);
        }
        const { solution } = queue;
        const cost = tried() * costOfHash;
        if (solution !== undefined || cost >= maxHashes) {
          resolve({ nonce: solution, hashes: cost, state: state() });
          return;
        }
        onHashes(cost, state(), chanceOf(tried(), task));
        // Stop other workers on the solved part: their work is lost.
        for (const [other, { unit }] of [...working]) if (queue.isSolved(unit.part)) drop(other);
        for (const other of pool) assign(other);
        if (fallback !== undefined) assign(fallback);
      }

      /** Searches on the main thread unless a worker is ready or still expected. */
      function fallBack(): void {
        if (fallback !== undefined || [...pool].some(({ isLate }) => !isLate)) return;
        loadFallback().then(({ openMainThreadUnits }) => {
          if (signal.aborted || ready().length > 0) return;
          fallback = openMainThreadUnits(onReply);
          assign(fallback);
        }, reject);
      }

      try {
        while (pool.size < wanted) pool.add(startWorker(events));
      } catch {
        // The browser rejects further workers; the started ones continue.
      }
      fallBack();
    });
  } finally {
    for (const worker of pool) worker.terminate();
    fallback?.terminate();
  }
}
