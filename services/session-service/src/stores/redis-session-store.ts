// The session store on Redis: one hash per user, one script per operation.

import { redisProofStore } from '@tollgate/shared/sessions/proof-of-use.js';
import { assertGeneration, userSessionsKey } from '@tollgate/shared/sessions/session-keys.js';
import type { RedisClient } from '@tollgate/shared/store/redis-connection.js';
import { loadScript } from '@tollgate/shared/store/redis-script.js';
import type { GrantedOutcome, RefusedOutcome } from '../domain/rotation.js';
import { type EndCause, MOST_NOTES } from '../domain/session-end.js';
import { cleanUserAgent, parseSessionRecord } from '../domain/session-record.js';
import type { SessionSet } from '../domain/session-set.js';
import { listSessions } from './listing.js';
import { endNotesKey } from './session-keys.js';
import type { SessionStore } from './session-store.js';

const SCRIPTS = new URL('../../../lua/', import.meta.url);

type StartReply = [startedMs: number, absoluteExpiresAtMs: number, replaced: number, ...evicted: string[]];
type RotateReply =
  | [RefusedOutcome]
  | [GrantedOutcome, generation: number, nowMs: number, absoluteExpiresAtMs: number];

/** @param keepNotesMs how long the note of an end is kept; 0 keeps none */
export function redisSessionStore(client: RedisClient, keepNotesMs: number): SessionStore {
  const startSession = loadScript<StartReply>(client, SCRIPTS, 'session_start');
  const rotateSession = loadScript<RotateReply>(client, SCRIPTS, 'session_rotate');
  const endSessions = loadScript<string[]>(client, SCRIPTS, 'session_end');
  const listUserSessions = loadScript<[nowMs: number, ...pairs: string[]]>(client, SCRIPTS, 'session_list');

  const keysOf = (uid: number) => [userSessionsKey(uid), endNotesKey(uid)];
  const end = (uid: number, sids: readonly string[], cause?: EndCause) => {
    const keepMs = cause === undefined ? 0 : keepNotesMs;
    return endSessions(keysOf(uid), [
      keepMs,
      MOST_NOTES,
      `${cause?.reason} ${cause?.address ?? '-'}`,
      ...sids,
    ]);
  };

  return {
    async start(
      { uid, sid, endSid = '', userAgent, address = '-' },
      { refreshTtlMs, maxAgeMs, maxSessions },
    ) {
      const [nowMs, absoluteExpiresAtMs, replaced, ...evicted] = await startSession(keysOf(uid), [
        ...[sid, endSid, refreshTtlMs, maxAgeMs, maxSessions, cleanUserAgent(userAgent)],
        ...[keepNotesMs, MOST_NOTES, address],
      ]);
      return { nowMs, absoluteExpiresAtMs, hasReplaced: replaced > 0, evicted };
    },

    async rotate(
      { uid, sid, generation, address = '-', expiresAtMs = 0 },
      { windowMs, recoveries, refreshTtlMs },
    ) {
      assertGeneration(generation);
      const reply = await rotateSession(keysOf(uid), [
        sid,
        generation,
        windowMs,
        recoveries,
        refreshTtlMs,
        keepNotesMs,
        MOST_NOTES,
        address,
        expiresAtMs,
      ]);
      if (reply.length === 1) return { outcome: reply[0] };
      const [outcome, current, nowMs, absoluteExpiresAtMs] = reply;
      return { outcome, generation: current, nowMs, absoluteExpiresAtMs };
    },

    ...redisProofStore(client),

    end: async ({ uid, sid }, cause) => (await end(uid, [sid], cause)).length > 0,
    endListed: end,

    async list(uid) {
      const [nowMs, ...pairs] = await listUserSessions([userSessionsKey(uid)], []);
      return listSessions(readPairs(pairs), nowMs);
    },
  };
}

function readPairs(pairs: readonly string[]): SessionSet {
  const sessions: SessionSet = new Map();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    sessions.set(pairs[i] ?? '', parseSessionRecord(pairs[i + 1] ?? ''));
  }
  return sessions;
}
