// Searches for the nonce of a proof of work, as fast as the browser and the page's policy allow.
import { tellOne } from '../listeners.js';
import { PowGaveUpError } from './errors.js';
import type { SearchTask, SolverPath, SolverState } from './solver-state.js';
import { warnOfDegraded } from './warn-of-degraded.js';
import { workersFor } from './worker-count.js';
import { type CrewSearch, openCrew, type SearchResult } from './worker-pool.js';

export type { SearchTask, SolverPath, SolverState };

export interface SearchProgress {
  readonly hashes: number;
  /** Of searching, without the start of the workers. */
  readonly ms: number;
  readonly state: SolverState;
}

export interface SearchOptions {
  /**
   * The most hashes between two pauses on the main thread, 25,000; fewer where they would take over 8 ms. Workers pause
   * by the time alone.
   */
  readonly chunkSize?: number | undefined;
  /** Where the search gives up, 300,000,000; over all workers, within 4 hashes each. With `Infinity` it never does. */
  readonly maxHashes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at most ten times a second. */
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

export interface Found {
  /** 21 to 23 decimal digits */
  readonly nonce: string;
  /** Tried by all workers, as far as they had said so. */
  readonly hashes: number;
  /** Of searching, without the start of the workers. */
  readonly ms: number;
  readonly state: SolverState;
}

export interface Solver {
  /** Null before the first search. */
  readonly state: SolverState | null;
  /**
   * Searches in turn: a second search waits for the first.
   * @throws PowGaveUpError past `maxHashes`; the signal's reason; an `AbortError` when the solver is closed;
   *   RangeError for a task that no challenge has, a `maxHashes` below 0 and a `chunkSize` not above it
   */
  search(task: SearchTask, options?: SearchOptions): Promise<Found>;
  /** Ends the workers and whatever is being searched, for good. */
  close(): void;
}

export interface SolverOptions {
  /** Exactly so many; 0 is the main thread. By default as many as the device bears and the work is worth. */
  readonly workers?: number | undefined;
  /** Where the worker's file is, if not beside this one: for a bundler that does not move it along. Same origin. */
  readonly workerUrl?: string | URL | undefined;
}

const reportEveryMs = 100;
/** Workers hold some megabytes each; starting them again takes 10 to 20 ms. */
const idleMs = 30_000;

/** Nothing is started before the first search. */
export function openSolver({ workers, workerUrl }: SolverOptions = {}): Solver {
  // Bundlers look for exactly the first of these expressions.
  const crew = openCrew(() =>
    workerUrl === undefined
      ? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
      : new Worker(workerUrl, { type: 'module' }),
  );
  const open = new Set<AbortController>();
  let isClosed = false;
  let state: SolverState | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  async function searchTogether(
    task: SearchTask,
    options: Omit<CrewSearch, 'workers'>,
  ): Promise<SearchResult> {
    clearTimeout(idleTimer);
    try {
      return await crew.search(task, { ...options, workers: workers ?? workersFor(task.difficulty) });
    } finally {
      if (crew.size > 0) idleTimer = setTimeout(crew.dismiss, idleMs);
    }
  }

  async function run(task: SearchTask, options: SearchOptions, signal: AbortSignal): Promise<Found> {
    signal.throwIfAborted();
    const { chunkSize = 25_000, onProgress } = options;
    // The workers' shares are taken from it one by one, and infinity never gets less.
    const maxHashes = Math.min(options.maxHashes ?? 300_000_000, Number.MAX_SAFE_INTEGER);
    let startedMs = performance.now();
    let reportedMs = startedMs;
    const onBegin = () => {
      startedMs = performance.now();
      reportedMs = startedMs;
    };
    const onHashes = (hashes: number, now: SolverState) => {
      state = now;
      const nowMs = performance.now();
      if (nowMs - reportedMs < reportEveryMs) return;
      reportedMs = nowMs;
      tellOne(onProgress, { hashes, ms: nowMs - startedMs, state: now });
    };
    const result = await searchTogether(task, { chunkSize, maxHashes, signal, onBegin, onHashes });
    state = result.state;
    warnOfDegraded(state);
    if (result.nonce === undefined) throw new PowGaveUpError(result.hashes, task.difficulty);
    return { ...result, nonce: result.nonce, ms: performance.now() - startedMs };
  }

  return {
    get state() {
      return state;
    },
    async search(task, options = {}) {
      requireTask(task);
      requireLimits(options);
      if (isClosed) throw closedError();
      const { signal } = options;
      signal?.throwIfAborted();
      const ending = new AbortController();
      const aborted = new Promise<never>((_, reject) => {
        ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
      });
      signal?.addEventListener('abort', () => ending.abort(signal.reason), { signal: ending.signal });
      open.add(ending);
      const turn = last.then(() => run(task, options, ending.signal));
      last = turn.catch(() => undefined);
      try {
        return await Promise.race([turn, aborted]);
      } finally {
        open.delete(ending);
        // Takes the listener off the caller's signal.
        ending.abort();
      }
    },
    close() {
      isClosed = true;
      for (const ending of open) ending.abort(closedError());
      clearTimeout(idleTimer);
      crew.dismiss();
    },
  };
}

function closedError(): DOMException {
  return new DOMException('The solver is closed.', 'AbortError');
}

function requireTask({ head, difficulty }: SearchTask): void {
  if (!/^[\x21-\x7e]{32,34}$/.test(head)) throw new RangeError('The head must be 32 to 34 ASCII characters.');
  if (!Number.isInteger(difficulty) || difficulty < 1 || difficulty > 32) {
    throw new RangeError('The difficulty must be 1 to 32 bits.');
  }
}

function requireLimits({ chunkSize = 1, maxHashes = 0 }: SearchOptions): void {
  // In this form NaN is refused as well.
  if (!(maxHashes >= 0 && chunkSize > 0))
    throw new RangeError('maxHashes must be 0 or more, chunkSize above 0.');
}
