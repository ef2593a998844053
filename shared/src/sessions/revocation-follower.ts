// Mirrors the revocation log in memory, so that verifying a token does not read the store.

import { setTimeout as pause } from 'node:timers/promises';
import { reconnectDelayMs } from '../store/redis-connection.js';
import { type AnswerLimit, newAnswerLimit, waitForAnswer } from '../store/store.js';
import { LOG_START, type RevocationLog, type RevocationPage, type RevocationTail } from './revocation-log.js';

/** The part of a logger that this file uses. */
interface FollowerLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** The known revoked sessions. */
export interface RevocationFollower {
  /**
   * Returns whether the access tokens of a session must be rejected: at once while the log is followed. Returns a promise
   * and reads the store while the log is lost, and at the first call in a while; if that fails too, the memory decides, and
   * later calls do not wait until the store responds again. Never throws.
   * @param limit the remaining time of the request for stores
   */
  isRevoked(sid: string, limit?: AnswerLimit): boolean | Promise<boolean>;
  /** Rejects these sessions on this node from now on. */
  refuse(sids: readonly string[], keepMs: number): void;
  /** Resolves when the log has been read to its end; at once while it is followed. */
  caughtUp(): Promise<void>;
  /**
   * Returns the seconds since the log was lost, or since the start if it was never read to its end; 0 while it is followed.
   */
  lagSeconds(): number;
  /** Number of session ids in memory. */
  readonly size: number;
  stop(): Promise<void>;
}

/** After this time without a call of `isRevoked` the log is read seldom, in milliseconds. */
const REST_AFTER_MS = 10_000;

/**
 * Starts to follow the log; retries forever if it is lost.
 * @param clock milliseconds of a monotonic clock
 */
export function followRevocations(
  log: RevocationLog,
  logger: FollowerLog,
  clock: () => number = () => performance.now(),
): RevocationFollower {
  const revoked = createRevokedIds(clock);
  const stopping = new AbortController();
  let lostSinceMs: number | undefined = clock();
  let isWarned = false;
  let failures = 0;
  let waiting: (() => void)[] = [];
  let tail: RevocationTail | undefined;
  let calledAtMs = clock();
  let readAtMs = Number.NEGATIVE_INFINITY;
  // The position of reads by requests while the log is lost or seldom read.
  let asked = LOG_START;
  let asking: Promise<void> | undefined;
  let askingNext: Promise<void> | undefined;
  let isUnanswered = false;

  const take = (page: RevocationPage): string => {
    for (const { sids, keepMs } of page.entries) revoked.add(sids, keepMs);
    return page.position;
  };

  async function readTail(): Promise<void> {
    tail = await log.openTail();
    // From the start each time: the log may come from another server than the lost one.
    let position = LOG_START;
    while (!stopping.signal.aborted) {
      const rests = clock() - calledAtMs > REST_AFTER_MS;
      const page = await tail.next(position, lostSinceMs !== undefined ? 'none' : rests ? 'long' : 'brief');
      position = take(page);
      if (lostSinceMs !== undefined && page.complete) found();
      if (lostSinceMs !== undefined) continue;
      readAtMs = clock();
      asked = position;
    }
  }

  function found(): void {
    if (isWarned) logger.info({}, 'the revocation log is followed again');
    isWarned = false;
    failures = 0;
    lostSinceMs = undefined;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  function lost(error: unknown): void {
    failures += 1;
    if (lostSinceMs === undefined) {
      lostSinceMs = clock();
      asked = LOG_START;
      isUnanswered = false;
    }
    // The first attempt after a loss comes at once and often succeeds.
    if (failures < 2 || isWarned) return;
    isWarned = true;
    logger.warn({ err: error }, 'the revocation log is lost: the store is read for each token');
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await readTail();
      } catch (error) {
        if (stopping.signal.aborted) return;
        lost(error);
      } finally {
        tail?.close();
        tail = undefined;
      }
      const waitMs = failures < 2 ? 0 : reconnectDelayMs(failures - 1);
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function readToEnd(): Promise<void> {
    for (;;) {
      const startedMs = clock();
      const from = asked;
      const page = await log.readAfter(from);
      const position = take(page);
      // The log may have been lost meanwhile; then reading restarts.
      if (asked === from) asked = position;
      if (!page.complete) continue;
      readAtMs = startedMs;
      return;
    }
  }

  // A running read may have begun before the session ended, so calls during it wait for the next read and share it.
  function ask(): Promise<void> {
    if (asking === undefined) {
      asking = readToEnd().finally(() => {
        asking = undefined;
      });
      return asking;
    }
    askingNext ??= asking.then(
      () => {
        askingNext = undefined;
        return ask();
      },
      (error: unknown) => {
        askingNext = undefined;
        throw error;
      },
    );
    return askingNext;
  }

  async function askFor(sid: string, limit: AnswerLimit): Promise<boolean> {
    const asked = ask().then(
      () => {
        isUnanswered = false;
      },
      (error: unknown) => {
        isUnanswered = true;
        // The tail may wait on a dead connection for a long time.
        if (lostSinceMs === undefined) tail?.close();
        throw error;
      },
    );
    // A hanging store costs one timeout, not one per request.
    if (isUnanswered) asked.catch(() => {});
    else await waitForAnswer(limit, asked).catch(() => {});
    return revoked.has(sid);
  }

  const following = follow();
  return {
    isRevoked(sid, limit = newAnswerLimit()) {
      if (revoked.has(sid)) return true;
      calledAtMs = clock();
      if (lostSinceMs === undefined && calledAtMs - readAtMs <= log.briefMs) return false;
      return askFor(sid, limit);
    },
    refuse: (sids, keepMs) => revoked.add(sids, keepMs),
    async caughtUp() {
      if (lostSinceMs !== undefined) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    lagSeconds: () => (lostSinceMs === undefined ? 0 : (clock() - lostSinceMs) / 1000),
    get size() {
      return revoked.size;
    },
    async stop() {
      stopping.abort();
      tail?.close();
      await following;
    },
  };
}

/** A set of expiring session ids. */
interface RevokedIds {
  /** Adds ids or prolongs them; removes expired ones. */
  add(sids: readonly string[], keepMs: number): void;
  has(sid: string): boolean;
  readonly size: number;
}

/** @param clock milliseconds of a monotonic clock */
export function createRevokedIds(clock: () => number): RevokedIds {
  // Ids with equal retention expire in the order of their arrival. Nodes may have different retentions while `ACCESS_TTL` is
  // being changed.
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
