// Makes the end of sessions known to every node.

import { setTimeout as pause } from 'node:timers/promises';
import { reconnectDelayMs } from '../store/redis-connection.js';
import type { RevocationFollower } from './revocation-follower.js';
import type { RevocationLog } from './revocation-log.js';

/** The part of a logger that this file uses. */
export interface RevokerLog {
  error(about: object, message: string): void;
}

/** Writes to the revocation log. */
export interface Revoker {
  /**
   * Before the step that ends sessions whose ids are known: one entry for all of them.
   * @throws StoreUnavailableError when the store did not answer; nothing is refused then, unless it took the entry late
   */
  revoke(sids: readonly string[]): Promise<void>;
  /**
   * After a step that has found and ended these sessions by itself. This node refuses them at once; the entry is
   * repeated until it is written or no access token of theirs can be left.
   */
  revokeEnded(sids: readonly string[]): void;
  /** Ids whose entry is still to be written. */
  readonly waiting: number;
  /** Resolves when every entry is written, or after `limitMs`. */
  flush(limitMs: number): Promise<void>;
  stop(): void;
}

/** What lies beyond `ACCESS_TTL`: tolerance of clocks, and the time that an entry takes. */
const MARGIN_MS = 60_000;

/** @param options.accessTtlMs life of an access token in milliseconds */
export function createRevoker(options: {
  readonly log: RevocationLog;
  readonly follower: RevocationFollower;
  readonly accessTtlMs: number;
  readonly logger: RevokerLog;
}): Revoker {
  const { log, follower, accessTtlMs, logger } = options;
  const keepMs = accessTtlMs + MARGIN_MS;
  const stopping = new AbortController();
  const owed = new Map<string, { readonly untilMs: number }>();
  let paying: Promise<void> | undefined;

  async function pay(): Promise<void> {
    for (let failures = 0; owed.size > 0 && !stopping.signal.aborted; ) {
      const sids = [...owed.keys()];
      try {
        await log.append({ sids, keepMs });
        failures = 0;
        for (const sid of sids) owed.delete(sid);
      } catch (error) {
        failures += 1;
        if (failures === 1)
          logger.error({ err: error, waiting: owed.size }, 'revocations wait to be written');
        for (const [sid, { untilMs }] of owed) if (untilMs <= performance.now()) owed.delete(sid);
        await pause(reconnectDelayMs(failures), undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    paying = undefined;
  }

  return {
    async revoke(sids) {
      await log.append({ sids, keepMs });
      follower.refuse(sids, keepMs);
    },
    revokeEnded(sids) {
      if (sids.length === 0) return;
      follower.refuse(sids, keepMs);
      for (const sid of sids) owed.set(sid, { untilMs: performance.now() + accessTtlMs });
      paying ??= pay();
    },
    get waiting() {
      return owed.size;
    },
    async flush(limitMs) {
      await Promise.race([paying, pause(limitMs, undefined, { ref: false })]);
    },
    stop: () => stopping.abort(),
  };
}
