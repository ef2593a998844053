// The ids of revoked sessions, each kept as long as one of its access tokens may be alive.

/** A set of session ids that expire. */
export interface RevokedIds {
  /** Adds ids or prolongs them; removes expired ones. */
  add(sids: readonly string[], keepMs: number): void;
  has(sid: string): boolean;
  readonly size: number;
}

/** @param clock milliseconds of a monotonic clock */
export function createRevokedIds(clock: () => number): RevokedIds {
  // Ids that are kept equally long expire in the order they came. Nodes may keep them differently long while `ACCESS_TTL`
  // is being changed.
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
