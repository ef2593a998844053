// The ids of ended sessions, each for as long as an access token of it may still be around.

/** A set of session ids that forgets by time. */
export interface RevokedIds {
  /** Adds ids, or prolongs them; forgets those whose time is over. */
  add(sids: readonly string[], keepMs: number): void;
  has(sid: string): boolean;
  readonly size: number;
}

/** @param clock milliseconds of a clock that never goes back */
export function createRevokedIds(clock: () => number): RevokedIds {
  // What is kept equally long ends in the order it came. Nodes may differ in that while `ACCESS_TTL` is being changed.
  const endsByKeep = new Map<number, Map<string, number>>();

  const forget = (nowMs: number) => {
    for (const [keepMs, ends] of endsByKeep) {
      for (const [sid, endMs] of ends) {
        if (endMs > nowMs) break;
        ends.delete(sid);
      }
      if (ends.size === 0) endsByKeep.delete(keepMs);
    }
  };
  const find = (sid: string): Map<string, number> | undefined => {
    for (const ends of endsByKeep.values()) if (ends.has(sid)) return ends;
    return undefined;
  };
  return {
    add(sids, keepMs) {
      const nowMs = clock();
      forget(nowMs);
      const endMs = nowMs + keepMs;
      for (const sid of sids) {
        const before = find(sid);
        if ((before?.get(sid) ?? 0) > endMs) continue;
        before?.delete(sid);
        const ends = endsByKeep.get(keepMs) ?? new Map<string, number>();
        endsByKeep.set(keepMs, ends.set(sid, endMs));
      }
    },
    has: (sid) => find(sid) !== undefined,
    get size() {
      let size = 0;
      for (const ends of endsByKeep.values()) size += ends.size;
      return size;
    },
  };
}
