// One request of the session at a time: in the page always, and between tabs as far as the browser can see to that.

import type { Surroundings } from './environment.js';

/** @param givesUp ends the wait for the lock, not that for the page's own work */
export type InTurn = <T>(work: () => Promise<T>, givesUp?: AbortSignal) => Promise<T>;

/**
 * Does each work when the one before it in this page has ended, and while no other tab does work of this name. Where
 * there are no locks, or the lock does not come within the limit, other tabs are not waited for: the server bears it,
 * so a tab that hangs must not stop the others.
 */
export function createTurns(surroundings: Surroundings, name: string, limitMs: number): InTurn {
  const { locks, startTimer, stopTimer } = surroundings;
  let last: Promise<unknown> = Promise.resolve();

  async function underLock<T>(work: () => Promise<T>, givesUp?: AbortSignal): Promise<T> {
    if (locks === undefined || givesUp?.aborted) return work();
    const limit = new AbortController();
    const stop = () => limit.abort();
    const timer = startTimer(stop, limitMs);
    givesUp?.addEventListener('abort', stop);
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

  return (work, givesUp) => {
    const turn = last.then(() => underLock(work, givesUp));
    last = turn.catch(() => {});
    return turn;
  };
}
