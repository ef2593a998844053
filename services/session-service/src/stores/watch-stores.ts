// Watches the stores of the service: of sessions and of challenges, which may be the same.

import { type Store, type StoreLog, type StoreWatch, watchStore } from '@tollgate/shared/store';
import { READY_KEY } from './session-keys.js';

/** The watch of both stores. */
interface StoresWatch {
  /** The check of `/health/ready`; see `StoreWatch.check`. */
  readonly checks: Readonly<Record<'store' | 'challenge_store', () => Promise<string>>>;
  /** The watches of stores with an address of their own. */
  readonly watches: Readonly<{ sessions: StoreWatch; challenges?: StoreWatch }>;
  /** Stops the watch. Call it before you close the stores. */
  stop(): Promise<void>;
}

/**
 * @param stores the same store twice if both are on one
 * @param challengeKey the key for checking the challenge store
 */
export function watchStores(
  { sessions, challenges }: { readonly sessions: Store; readonly challenges: Store },
  challengeKey: string,
  log: StoreLog,
): StoresWatch {
  const isOne = sessions === challenges;
  const holds = isOne ? (['sessions', 'challenges'] as const) : (['sessions'] as const);
  const watch = watchStore(sessions, { variable: 'STORE_URL', holds, log });
  const other = isOne
    ? watch
    : watchStore(challenges, { variable: 'CAPTCHA_CACHE_STORE', holds: ['challenges'], log });
  return {
    checks: {
      store: () => watch.check(READY_KEY),
      challenge_store: () => other.check(challengeKey),
    },
    watches: { sessions: watch, ...(!isOne && { challenges: other }) },
    async stop() {
      for (const each of new Set([watch, other])) await each.stop();
    },
  };
}
