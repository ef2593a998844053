// Worker pool. Workers stay alive between searches, which keeps their compiled code hot.
import { type PoolWorker, startPoolWorker } from './pool-worker.js';
import { type SearchJob, startSearchJob } from './search-job.js';
import type { SolverState } from './solver-state.js';
import type { SearchReply, SearchTask } from './worker-messages.js';
import type { WorkerRamp } from './worker-ramp.js';

export interface PoolSearchOptions {
  /** Maximum workers. */
  readonly workers: number;
  /** Initial workers; more only if they make the search faster. */
  readonly first: number;
  /** Maximum hashes per chunk on the main thread, which searches while no worker is available. */
  readonly chunkSize: number;
  readonly maxHashes: number;
  readonly signal: AbortSignal;
  /** Called at the first hashes, after workers have started. */
  readonly onBegin: () => void;
  readonly onHashes: (hashes: number, state: SolverState) => void;
}

export interface PoolSearchResult {
  /** Undefined if all `maxHashes` were tried in vain. */
  readonly nonce: string | undefined;
  readonly hashes: number;
  readonly state: SolverState;
}

interface WorkerPool {
  /** Started workers, ready or not. */
  readonly size: number;
  /** Runs one search at a time. @throws the signal's reason on abort */
  search(task: SearchTask, options: PoolSearchOptions): Promise<PoolSearchResult>;
  /** Terminates the workers; the next search starts new ones. */
  terminate(): void;
}

/** More workers would mostly heat the device: page, system and other tabs need cores too. */
const mostWorkers = 8;
/** Up to this difficulty one worker finishes before a second one has started (65,536 hashes take 5 to 50 ms). */
const bitsForOneWorker = 16;

/**
 * Maximum workers: one per reported core, at most 8, and no more than the difficulty needs: one up to 16 bits, then twice
 * as many per further bit. With as many workers as cores a page stays responsive, because browsers and systems schedule
 * its main thread first or fairly.
 */
export function workersFor(difficulty: number): number {
  const cores = globalThis.navigator?.hardwareConcurrency || 1;
  return Math.min(cores, mostWorkers, 2 ** Math.max(0, difficulty - bitsForOneWorker));
}

/** @param openWorker called once for each worker; not called again after it throws */
export function openWorkerPool(openWorker: () => Worker): WorkerPool {
  const workers = new Set<PoolWorker>();
  let isRefused = false;
  /** Workers requested by the last search. */
  let wanted = 0;
  /** More workers gained too little speed. */
  let mostUseful = Number.POSITIVE_INFINITY;
  let job: SearchJob | null = null;
  let fallback: PoolWorker | null = null;
  /** Searches on the main thread unless a worker is ready or still expected. */
  let fallBack: (() => void) | null = null;
  let requests = 0;

  const events = {
    onReady(worker: PoolWorker) {
      stopFallback();
      job?.assign(worker);
    },
    onReply: (worker: PoolWorker, reply: SearchReply) => job?.onReply(worker, reply),
    onLate: () => fallBack?.(),
    onFailed(worker: PoolWorker) {
      workers.delete(worker);
      job?.remove(worker);
      for (const other of workers) job?.assign(other);
      fallBack?.();
    },
  };

  function startUpTo(count: number): void {
    wanted = count;
    try {
      while (!isRefused && workers.size < count) workers.add(startPoolWorker(openWorker, events));
    } catch {
      isRefused = true;
    }
  }

  function resizeTo(count: number): void {
    startUpTo(count);
    if (count < workers.size) mostUseful = count;
    for (const worker of [...workers].slice(count)) {
      worker.terminate();
      workers.delete(worker);
      job?.remove(worker);
    }
    for (const worker of workers) job?.assign(worker);
  }

  function stopFallback(): void {
    if (fallback === null) return;
    fallback.terminate();
    job?.remove(fallback);
    fallback = null;
  }

  function state(): SolverState {
    const paths = [...workers].flatMap(({ path }) => path ?? []);
    const path = paths[0] ?? fallback?.path ?? 'js';
    const expected = [...workers].filter(({ isLate }) => !isLate).length;
    const degraded = paths.length === 0 || path !== 'simd' || expected < wanted;
    return { path, workers: paths.length, degraded };
  }

  return {
    get size() {
      return workers.size;
    },
    async search(task, { workers: most, first, chunkSize, maxHashes, signal, onBegin, onHashes }) {
      const limit = Math.min(most, mostUseful);
      startUpTo(Math.min(limit, Math.max(first, workers.size)));
      let ramp: WorkerRamp | undefined;
      if (!isRefused && workers.size < limit) {
        // Loaded only for a search long enough for more workers. Without it the search continues with the current ones.
        import('./worker-ramp.js').then(
          ({ createWorkerRamp }) => {
            ramp = createWorkerRamp(workers.size, limit, resizeTo);
          },
          () => undefined,
        );
      }
      try {
        return await new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          const needsFallback = () => fallback === null && [...workers].every(({ isLate }) => isLate);
          const current = startSearchJob({
            task,
            workers: most,
            maxHashes,
            nextId: () => requests++,
            onBegin,
            onHashes(hashes) {
              const now = state();
              ramp?.(hashes, performance.now(), now.workers);
              onHashes(hashes, now);
            },
            onEnd: (nonce, hashes) => resolve({ nonce, hashes, state: state() }),
          });
          job = current;
          fallBack = () => {
            if (!needsFallback()) return;
            const loaded = loadFallback();
            loaded
              .then(({ openMainThreadFallback }) => openMainThreadFallback(chunkSize, events))
              .then((opened) => {
                if (job !== current || !needsFallback()) return;
                fallback = opened;
                current.assign(opened);
              }, reject);
          };
          for (const worker of workers) current.assign(worker);
          fallBack();
        });
      } finally {
        stopFallback();
        job = null;
        fallBack = null;
        for (const worker of workers) worker.send(null);
      }
    },
    terminate() {
      for (const worker of workers) worker.terminate();
      workers.clear();
    },
  };
}

/** Loads the kernels on demand: with workers, only the workers load them. */
export const loadFallback = () => import('./main-thread-fallback.js');
