// Measures how many hashes a second this device makes, by searching for what is hardly ever found.

const limitMs = 2_000;
/** So hard that the time is over first. */
const task = { head: '0'.repeat(32), difficulty: 32 };

/**
 * Resolves when the time is over, or the signal has come.
 * @param {import('./client/challenge.js').Solver} solver
 * @param {AbortSignal} signal
 * @param {(progress: import('./client/challenge.js').SearchProgress) => void} tell
 */
export async function measureSpeed(solver, signal, tell) {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, limitMs);
  signal.addEventListener('abort', end);
  await solver
    .search(task, { signal: ending.signal, maxHashes: Number.POSITIVE_INFINITY, onProgress: tell })
    .catch(() => undefined);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
