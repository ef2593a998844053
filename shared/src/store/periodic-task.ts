// Repeats a piece of work on a store: at the start, then every so often, and soon again after a round that failed.

import type { Store } from './open-store.js';

export interface PeriodicTaskOptions {
  /** From the end of a round that succeeded to the next, in milliseconds; a function is asked after each round. */
  readonly everyMs: number | (() => number);
  /** From the end of a round that failed to the next, in milliseconds; ten seconds unless told. */
  readonly retryMs?: number;
  /** Begins a round also when a lost connection is back: the store may have come back empty. */
  readonly afterReconnect?: boolean;
  /** Told of each round that failed. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_MS = 10_000;

/**
 * Begins with the first round, as soon as the store is connected. No round begins before the one before it has ended,
 * and none keeps the process alive.
 *
 * @returns `stop`, which begins no further round and resolves when the running one has ended
 */
export function startPeriodicTask(
  store: Store,
  task: () => Promise<void>,
  { everyMs, retryMs = RETRY_MS, afterReconnect = false, onFailure }: PeriodicTaskOptions,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    let nextMs: number;
    isRunning = true;
    try {
      await task();
      nextMs = typeof everyMs === 'number' ? everyMs : everyMs();
    } catch (error) {
      nextMs = retryMs;
      onFailure(error);
    }
    isRunning = false;
    if (!stopped) timer = setTimeout(next, nextMs).unref();
  }
  function next(): void {
    if (isRunning) return;
    clearTimeout(timer);
    running = run();
  }
  // A client that is still connecting would refuse the first run.
  let isFirstDue = !store.isReady();
  if (!isFirstDue) next();
  const removeListener = store.onReady(() => {
    if (isFirstDue || afterReconnect) next();
    isFirstDue = false;
  });
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      removeListener();
      await running;
    },
  };
}

/** The part of a logger that this file uses. */
export interface PruningLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

const HOUR_MS = 3_600_000;

/** Prunes an embedded store now and then every hour, or every `everyMs`; on Redis there is nothing to do. */
export function startPruning(
  store: Pick<Store, 'prune'>,
  log: PruningLog,
  everyMs = HOUR_MS,
): { stop(): void } {
  const prune = () =>
    store.prune().then(
      (removed) => {
        if (removed > 0) log.info({ removed }, 'pruned expired entries');
      },
      (error: unknown) => log.warn({ err: error }, 'pruning failed'),
    );
  const timer = setInterval(prune, everyMs).unref();
  void prune();
  return { stop: () => clearInterval(timer) };
}
