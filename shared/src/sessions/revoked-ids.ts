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
  const ends = new Map<string, number>();

  const forget = (nowMs: number) => {
    // All nodes keep entries equally long, so the order of the map is that of the ends.
    for (const [sid, endMs] of ends) {
      if (endMs > nowMs) return;
      ends.delete(sid);
    }
  };
  return {
    add(sids, keepMs) {
      const nowMs = clock();
      forget(nowMs);
      for (const sid of sids) {
        const endMs = Math.max(nowMs + keepMs, ends.get(sid) ?? 0);
        ends.delete(sid);
        ends.set(sid, endMs);
      }
    },
    has: (sid) => ends.has(sid),
    get size() {
      return ends.size;
    },
  };
}
