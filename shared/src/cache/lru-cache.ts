// A cache of the most recently used entries, for results that cost more to compute than to keep.

export interface LruCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** @param most entries that the cache keeps at least; it never holds more than twice as many */
export function createLruCache<Value>(most: number): LruCache<Value> {
  // Two halves, and the older one is dropped as a whole: deleting entries one by one makes a map slow.
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
