// A map that keeps what was asked for lately, for results that cost more to make than to remember.

export interface LruCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** @param most entries kept at least, if so many are set; twice as many at most */
export function createLruCache<Value>(most: number): LruCache<Value> {
  // Two halves, of which the older one goes as a whole: deleting one by one makes a map slow.
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
