// Removes expired values hourly from a store that does not do that itself.

import type { Store } from './open-store.js';

/** The part of a logger that this file uses. */
export interface PruningLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

const HOUR_MS = 3_600_000;

/** Prunes an embedded store now and then every hour, or every `everyMs`; on Redis there is nothing to do. */
export function startPruning(store: Store, log: PruningLog, everyMs = HOUR_MS): { stop(): void } {
  if (store.kind === 'redis') return { stop() {} };
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
