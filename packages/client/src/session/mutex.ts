// Mutex for requests that change the session: within the page, and across tabs if the browser has Web Locks.

import type { Environment } from './environment.js';

/** @param signal ends the wait for the lock, but not for earlier work of the same page */
type RunExclusive = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Runs work in order within this page, and exclusively across tabs with the same name. Without locks, or after the lock
 * timeout, it does not wait for other tabs: the server tolerates concurrent refreshes, and a hanging tab must not block
 * the others.
 */
export function createMutex(environment: Environment, name: string, limitMs: number): RunExclusive {
  const { locks, startTimer, stopTimer } = environment;
  let last: Promise<unknown> = Promise.resolve();

  async function withLock<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (locks === undefined || signal?.aborted) return work();
    const limit = new AbortController();
    const stop = () => limit.abort();
    const timer = startTimer(stop, limitMs);
    signal?.addEventListener('abort', stop);
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      stopTimer(timer);
      return work();
    };
    try {
      return await locks.request(name, { signal: limit.signal }, begin);
    } catch (error) {
      if (hasBegun) throw error;
      return begin();
    }
  }

  return (work, signal) => {
    const result = last.then(() => withLock(work, signal));
    last = result.catch(() => {});
    return result;
  };
}
