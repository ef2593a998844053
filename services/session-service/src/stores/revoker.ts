// Tells every node about ended sessions.

import { setTimeout as pause } from 'node:timers/promises';
import type { RevocationFollower, RevocationLog } from '@tollgate/shared/sessions';
import { reconnectDelayMs } from '@tollgate/shared/store';

/** The part of a logger that this file uses. */
interface RevokerLog {
  error(about: object, message: string): void;
}

/** Writes to the revocation log. */
export interface Revoker {
  /**
   * Appends one entry for sessions whose ids are known. Call it before you end them.
   * @throws StoreUnavailableError if the store does not respond; then nothing is rejected, unless the entry arrives late
   */
  revoke(sids: readonly string[]): Promise<void>;
  /**
   * Revokes sessions that the caller has ended. This node rejects them at once; the write is repeated until it succeeds or
   * all their access tokens have expired.
   */
  revokeEnded(sids: readonly string[]): void;
  /** Number of ids with a pending entry. */
  readonly waiting: number;
  /** Resolves when every entry is written, or after `limitMs`; then it logs the number of pending ids. */
  flush(limitMs: number): Promise<void>;
  stop(): void;
}

/** Added to `ACCESS_TTL`: the clock tolerance, and the time to write an entry. */
const MARGIN_MS = 60_000;

/** How long access tokens of an ended session are rejected, in milliseconds. @param accessTtlMs `ACCESS_TTL` */
export function revocationMs(accessTtlMs: number): number {
  return accessTtlMs + MARGIN_MS;
}

/**
 * Creates the revoker of a node.
 * @param options.accessTtlMs lifetime of an access token in milliseconds
 */
export function createRevoker(options: {
  readonly log: RevocationLog;
  readonly follower: RevocationFollower;
  readonly accessTtlMs: number;
  readonly logger: RevokerLog;
}): Revoker {
  const { log, follower, accessTtlMs, logger } = options;
  const keepMs = revocationMs(accessTtlMs);
  const stopping = new AbortController();
  const unwritten = new Map<string, { readonly untilMs: number }>();
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    for (let failures = 0; unwritten.size > 0 && !stopping.signal.aborted; ) {
      const sids = [...unwritten.keys()];
      try {
        await log.append({ sids, keepMs });
        failures = 0;
        for (const sid of sids) unwritten.delete(sid);
      } catch (error) {
        failures += 1;
        if (failures === 1) logger.error({ err: error, waiting: unwritten.size }, 'revocations are pending');
        for (const [sid, { untilMs }] of unwritten) if (untilMs <= performance.now()) unwritten.delete(sid);
        await pause(reconnectDelayMs(failures), undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    writing = undefined;
  }

  return {
    async revoke(sids) {
      await log.append({ sids, keepMs });
      follower.refuse(sids, keepMs);
    },
    revokeEnded(sids) {
      if (sids.length === 0) return;
      follower.refuse(sids, keepMs);
      for (const sid of sids) unwritten.set(sid, { untilMs: performance.now() + accessTtlMs });
      writing ??= writeAll();
    },
    get waiting() {
      return unwritten.size;
    },
    async flush(limitMs) {
      await Promise.race([writing, pause(limitMs, undefined, { ref: false })]);
      if (unwritten.size > 0) logger.error({ waiting: unwritten.size }, 'revocations could not be written');
    },
    stop: () => stopping.abort(),
  };
}
