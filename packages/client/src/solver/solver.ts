// Solves proofs of work: searches for the nonce as fast as the browser and the page's content security policy allow.
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
  /** For HashWX: the hashes of SHA-256 that cost as much. */
  readonly hashes: number;
  /** Time spent searching, without the start of the workers. */
  readonly ms: number;
  readonly state: SolverState;
  /** The chance that the work was solved by now; missing for SHA-256, where it follows from hashes and difficulty. */
  readonly chance?: number | undefined;
}

export interface SearchOptions {
  /**
   * The most hashes between two pauses on the main thread: 25,000 by default, fewer where they would take over 8 ms.
   * Workers pause by time alone.
   */
  readonly chunkSize?: number | undefined;
  /**
   * Hashes before the search gives up, counted over all workers, within 4 each: 300,000,000 by default. With `Infinity`
   * it never gives up. For HashWX, the hashes of SHA-256 that cost as much.
   */
  readonly maxHashes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at most ten times a second. */
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

export interface Found {
  /** 21 to 23 decimal digits; for HashWX the numbers of the parts, joined by dots */
  readonly nonce: string;
  /** Hashes that all workers have reported; for HashWX, the hashes of SHA-256 that cost as much. */
  readonly hashes: number;
  /** Time spent searching, without the start of the workers. */
  readonly ms: number;
  readonly state: SolverState;
}

export interface Solver {
  /** Null before the first search. */
  readonly state: SolverState | null;
  /**
   * Runs one search at a time: a second one waits for the first.
   * @throws PowGaveUpError past `maxHashes`; the signal's reason; an `AbortError` when the solver is closed;
   *   RangeError if the task is not one of a challenge, `maxHashes` is below 0 or `chunkSize` is not above 0; for other
   *   algorithms than SHA-256 also what `searchHashwx` throws
   */
  search(task: SearchTask | HashwxTask, options?: SearchOptions): Promise<Found>;
  /** Terminates the workers and aborts all searches; a closed solver cannot be used again. */
  close(): void;
}

export interface SolverOptions {
  /**
   * Number of workers; 0 is the main thread. By default as many as the device and the difficulty allow, more than two
   * only while they make the search faster.
   */
  readonly workers?: number | undefined;
  /** URL of the worker's file if it is not beside this one, as with bundlers that do not copy it. Same origin. */
  readonly workerUrl?: string | URL | undefined;
}

/** Unless told otherwise, a search begins with this many workers. */
const firstWorkers = 2;
const reportEveryMs = 100;
/** Idle workers are terminated: each holds some megabytes, and starting them again takes only 10 to 20 ms. */
const idleMs = 30_000;

/** Workers start with the first search. */
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
    // Workers take their batches off this number, and infinity would never get smaller.
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
        : // Few services ask for it.
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
        // Removes the listener from the caller's signal.
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
