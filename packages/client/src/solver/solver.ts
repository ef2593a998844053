// Solves proofs of work as fast as the browser and the page's content security policy allow.
import { notifyListener } from '../listeners.js';
import { PowGaveUpError } from './errors.js';
import type { HashwxTask } from './hashwx/unit-queue.js';
import { openWorker } from './open-worker.js';
import { startPoolWorker } from './pool-worker.js';
import { isLimit, isTask } from './search-task.js';
import type { KernelPath, SolverPath, SolverState } from './solver-state.js';
import { loadTexts, warnIfDegraded } from './warn-if-degraded.js';
import type { SearchTask } from './worker-messages.js';
import {
  loadFallback,
  openWorkerPool,
  type PoolSearchOptions,
  type PoolSearchResult,
  workersFor,
} from './worker-pool.js';

export type { HashwxTask, KernelPath, SearchTask, SolverPath, SolverState };

export interface SearchProgress {
  /** For HashWX: SHA-256 hashes of the same cost. */
  readonly hashes: number;
  /** Search time, without the start of the workers. */
  readonly ms: number;
  readonly state: SolverState;
  /** Chance that the work is solved by now; missing for SHA-256, where it follows from hashes and difficulty. */
  readonly chance?: number | undefined;
}

export interface SearchOptions {
  /**
   * Maximum hashes between two pauses on the main thread: 25,000 by default, fewer if they would take over 8 ms. Workers
   * pause by time only.
   */
  readonly chunkSize?: number | undefined;
  /**
   * Hash limit of the search over all workers, exact to 4 each: 300,000,000 by default. With `Infinity` it never gives
   * up. For HashWX, SHA-256 hashes of the same cost.
   */
  readonly maxHashes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at most ten times a second. */
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

export interface Found {
  /** 21 to 23 decimal digits; for HashWX the solutions of the parts, joined by dots */
  readonly nonce: string;
  /** Hashes reported by all workers; for HashWX, SHA-256 hashes of the same cost. */
  readonly hashes: number;
  /** Search time, without the start of the workers. */
  readonly ms: number;
  readonly state: SolverState;
}

export interface Solver {
  /** Null before the first search. */
  readonly state: SolverState | null;
  /**
   * Runs one search at a time: a second one waits for the first.
   * @throws PowGaveUpError past `maxHashes`; the signal's reason; an `AbortError` when the solver is closed;
   *   RangeError if the task is invalid, `maxHashes` is below 0 or `chunkSize` is not above 0; for other algorithms than
   *   SHA-256 also the errors of `searchHashwx`
   */
  search(task: SearchTask | HashwxTask, options?: SearchOptions): Promise<Found>;
  /** Terminates the workers and aborts all searches; a closed solver cannot be reused. */
  close(): void;
}

export interface SolverOptions {
  /**
   * Number of workers; 0 is the main thread. By default as many as device and difficulty allow, more than two only if they
   * make the search faster.
   */
  readonly workers?: number | undefined;
  /** Worker URL, on the same origin, if the file is not beside this one, for example because a bundler does not copy it. */
  readonly workerUrl?: string | URL | undefined;
}

/** Default number of workers at the start of a search. */
const firstWorkers = 2;
const reportEveryMs = 100;
/** Idle workers are terminated after this time: each takes some megabytes, and a restart takes only 10 to 20 ms. */
const idleMs = 30_000;

/** Opens a solver. Its workers start with the first search. */
export function openSolver({ workers, workerUrl }: SolverOptions = {}): Solver {
  const open = () => openWorker(workerUrl);
  const pool = openWorkerPool(open);
  const searches = new Set<AbortController>();
  let isClosed = false;
  let state: SolverState | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  async function searchInPool(
    task: SearchTask,
    options: Omit<PoolSearchOptions, 'workers' | 'first'>,
  ): Promise<PoolSearchResult> {
    clearTimeout(idleTimer);
    try {
      return await pool.search(task, {
        ...options,
        workers: workers ?? workersFor(task.difficulty),
        first: workers ?? firstWorkers,
      });
    } finally {
      if (pool.size > 0) idleTimer = setTimeout(pool.terminate, idleMs);
    }
  }

  async function run(
    task: SearchTask | HashwxTask,
    options: SearchOptions,
    signal: AbortSignal,
  ): Promise<Found> {
    signal.throwIfAborted();
    const { chunkSize = 25_000, onProgress } = options;
    // Workers subtract their batches from this number, and infinity would never shrink.
    const maxHashes = Math.min(options.maxHashes ?? 300_000_000, Number.MAX_SAFE_INTEGER);
    let startedMs = performance.now();
    let reportedMs = startedMs;
    const onBegin = () => {
      startedMs = performance.now();
      reportedMs = startedMs;
    };
    const onHashes = (hashes: number, now: SolverState, chance?: number) => {
      state = now;
      const nowMs = performance.now();
      if (nowMs - reportedMs < reportEveryMs) return;
      reportedMs = nowMs;
      notifyListener(onProgress, {
        hashes,
        ms: nowMs - startedMs,
        state: now,
        chance,
      });
    };
    const limits = { maxHashes, signal, onBegin, onHashes };
    const result =
      'head' in task
        ? await searchInPool(task, { chunkSize, ...limits })
        : // Loaded on demand: few services require it.
          await (await import('./hashwx/search.js')).searchHashwx(task, {
            startWorker: (events) => startPoolWorker(open, events),
            loadFallback,
            workers,
            ...limits,
          });
    state = result.state;
    warnIfDegraded(state);
    if (result.nonce === undefined) throw new PowGaveUpError(result.hashes, task.difficulty);
    return { ...result, nonce: result.nonce, ms: performance.now() - startedMs };
  }

  return {
    get state() {
      return state;
    },
    async search(task, options = {}) {
      if (('head' in task && !isTask(task)) || !isLimit(options)) {
        throw (await loadTexts()).searchMistake(isLimit(options), task);
      }
      if (isClosed) throw closedError();
      const { signal } = options;
      signal?.throwIfAborted();
      const ending = new AbortController();
      const aborted = new Promise<never>((_, reject) => {
        ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
      });
      signal?.addEventListener('abort', () => ending.abort(signal.reason), { signal: ending.signal });
      searches.add(ending);
      const turn = last.then(() => run(task, options, ending.signal));
      last = turn.catch(() => undefined);
      try {
        return await Promise.race([turn, aborted]);
      } finally {
        searches.delete(ending);
        // Remove the listener from the caller's signal.
        ending.abort();
      }
    },
    close() {
      isClosed = true;
      for (const ending of searches) ending.abort(closedError());
      clearTimeout(idleTimer);
      pool.terminate();
    },
  };
}

function closedError(): DOMException {
  return new DOMException('The solver is closed.', 'AbortError');
}
