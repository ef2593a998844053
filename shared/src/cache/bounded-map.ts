// A map with a bounded number of entries: beyond it the one that was set longest ago is dropped.

export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  /** Sets an entry, which is the newest from now on. */
  set(key: string, value: Value): void;
}

/** @param most entries that the map holds at most, from 1 */
export function createBoundedMap<Value>(most: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();
  // One for all drops: a new iterator would pass over every entry that was deleted before, tens of thousands each time.
  // It begins with the first drop, because it would keep the smaller tables that the map had until then.
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
