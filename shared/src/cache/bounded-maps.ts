// Two bounded maps: one drops the least recently used entry, the other the oldest.

export interface LruCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** @param most entries that the cache keeps at least; it never has more than twice as many */
export function createLruCache<Value>(most: number): LruCache<Value> {
  // Two halves, of which the older one is dropped at once: deleting single entries makes a map slow.
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  const set = (key: string, value: Value) => {
    if (newer.size >= most) {
      older = newer;
      newer = new Map();
    }
    newer.set(key, value);
  };
  return {
    get(key) {
      const fresh = newer.get(key);
      if (fresh !== undefined) return fresh;
      const value = older.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}

interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  /** Sets an entry, which is the newest from now on. */
  set(key: string, value: Value): void;
}

/** @param most most entries of the map, from 1 */
export function createBoundedMap<Value>(most: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();
  // One iterator for all drops: a new one would pass over every deleted entry, tens of thousands each time. Created at the
  // first drop, because it would retain the map's earlier, smaller tables.
  let oldest: Iterator<string, undefined> | undefined;
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      oldest ??= entries.keys();
      entries.delete(oldest.next().value as string);
    },
  };
}
