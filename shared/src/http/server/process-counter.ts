// Counts in fixed windows in the memory of this process.

/** Counts one more for a key; its window begins with its first count. */
export type Count = (key: string, windowMs: number) => Promise<{ count: number; ttlMs: number }>;

const MOST_KEYS = 50_000;

/**
 * Makes a counter.
 *
 * @param clock milliseconds of a clock that never goes back
 * @param mostKeys keys remembered; beyond that the oldest window is forgotten, so that memory stays bounded
 */
export function createProcessCounter(
  clock: () => number = () => performance.now(),
  mostKeys = MOST_KEYS,
): Count {
  const windows = new Map<string, { count: number; endMs: number }>();
  return async (key, windowMs) => {
    const nowMs = clock();
    let window = windows.get(key);
    if (window === undefined || window.endMs <= nowMs) {
      // Removed first, so that the order of the map stays that of the windows' beginnings.
      windows.delete(key);
      window = { count: 0, endMs: nowMs + windowMs };
      windows.set(key, window);
      if (windows.size > mostKeys) windows.delete(windows.keys().next().value as string);
    }
    window.count += 1;
    // Adding and subtracting fractions may give more than was added.
    return { count: window.count, ttlMs: Math.min(windowMs, Math.ceil(window.endMs - nowMs)) };
  };
}
