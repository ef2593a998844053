// Measures the device's hashes per second with a search that practically never succeeds.

const limitMs = 2_000;
/** Hard enough that the time limit ends it first. */
const task = { head: '0'.repeat(32), difficulty: 32 };

/**
 * Resolves at the time limit or when the signal aborts.
 * @param {import('../client/challenge.js').Solver} solver
 * @param {AbortSignal} signal
 * @param {(progress: import('../client/challenge.js').SearchProgress) => void} onProgress
 */
export async function measureSpeed(solver, signal, onProgress) {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, limitMs);
  signal.addEventListener('abort', end);
  await solver
    .search(task, { signal: ending.signal, maxHashes: Number.POSITIVE_INFINITY, onProgress })
    .catch(() => undefined);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
