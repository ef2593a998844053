// Compares a duration with a timer of the same process: a busy machine delays both.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** Resolves with whether work settles before a timer set now has fired and its process has handled all events so far. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const late = pause(ms, undefined, { signal: timer.signal }).then(
    async () => {
      await turn();
      await turn();
      return false;
    },
    () => false,
  );
  const isInTime = await Promise.race([settled, late]);
  timer.abort();
  return isInTime;
}
