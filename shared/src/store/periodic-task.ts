// Runs a periodic task on a store: at the start, then at an interval, and sooner after a failure.

import type { Store } from './open-store.js';

interface PeriodicTaskOptions {
  /** Pause after a successful run, in milliseconds; a function is called after each run. */
  readonly everyMs: number | (() => number);
  /** Pause after a failed run, in milliseconds; ten seconds by default. */
  readonly retryMs?: number;
  /** Also run when a lost connection is restored: the store may have come back empty. */
  readonly afterReconnect?: boolean;
  /** Called after each failed run. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_MS = 10_000;

/**
 * Starts the first run as soon as the store is connected. Runs never overlap, and the timer does not keep the process alive.
 *
 * @returns `stop`, which resolves when the current run has ended
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
  // A client that is still connecting would reject the first run.
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
interface PruningLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

const HOUR_MS = 3_600_000;

/** Removes expired values from an embedded store now and every hour, or every `everyMs`. Redis does that itself. */
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
