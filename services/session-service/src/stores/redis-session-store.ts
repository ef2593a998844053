// The session store on Redis: one hash per user, one script per operation. A search without a user scans the servers.

import type { UserId } from '@tollgate/shared/schemas';
import { assertGeneration, redisProofStore, userSessionsKey } from '@tollgate/shared/sessions';
import { asStoreError, loadScript, type RedisClient, replyOf } from '@tollgate/shared/store';
import { Cluster, type Redis } from 'ioredis';
import { type BindingKind, type Registration, UNASKED } from '../domain/binding/binding-rule.js';
import type { EndedOutcome, GrantedOutcome } from '../domain/rotation.js';
import { type EndCause, MAX_NOTES, parseSessionEnd } from '../domain/session-end.js';
import { listSessions } from '../domain/session-entry.js';
import {
  cleanUserAgent,
  formatAttributes,
  PASSWORD_METHODS,
  parseAttributes,
  parseSessionRecord,
  refreshTtlOf,
} from '../domain/session-record.js';
import type { SessionSet } from '../domain/session-set.js';
import { endNotesKey, USER_KEY_PREFIX, userOfKey } from './session-keys.js';
import type { SessionLookup, SessionStore } from './session-store.js';

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** Keys that a server examines per scan step. */
const SCAN_COUNT = 500;

type StartReply = [startedMs: number, absoluteExpiresAtMs: number, replaced: number, ...evicted: string[]];
type RotateReply =
  | [EndedOutcome]
  | ['binding_required', kind: BindingKind]
  | [
      outcome: GrantedOutcome,
      generation: number,
      nowMs: number,
      createdAtMs: string,
      absoluteExpiresAtMs: number,
      attributes: string,
      bound: number,
    ];

type ReauthenticateReply = [
  nowMs: number,
  createdAtMs: string,
  absoluteExpiresAtMs: string,
  attributes: string,
];

/** Placeholder for the time of the script. */
const NOW = 'now';

/** @param keepNotesMs lifetime of an end's note, in milliseconds; 0 stores none */
export function redisSessionStore(client: RedisClient, keepNotesMs: number): SessionStore {
  const startSession = loadScript<StartReply>(client, SCRIPTS, 'session_start');
  const rotateSession = loadScript<RotateReply>(client, SCRIPTS, 'session_rotate');
  const bindSession = loadScript<Registration['outcome']>(client, SCRIPTS, 'session_bind');
  const reauthenticateSession = loadScript<ReauthenticateReply | null>(
    client,
    SCRIPTS,
    'session_reauthenticate',
  );
  const endSessions = loadScript<string[]>(client, SCRIPTS, 'session_end');
  const eraseSessions = loadScript<[sessions: number, ends: number]>(client, SCRIPTS, 'session_erase');
  const listUserSessions = loadScript<[nowMs: number, ...pairs: string[]]>(client, SCRIPTS, 'session_list');

  const findSession = loadScript<[nowMs: number, record: string, note: string]>(
    client,
    SCRIPTS,
    'session_find',
  );

  const keysOf = (uid: UserId) => [userSessionsKey(uid), endNotesKey(uid)];
  const end = (uid: UserId, sids: readonly string[], cause?: EndCause) => {
    const keepMs = cause === undefined ? 0 : keepNotesMs;
    return endSessions(keysOf(uid), [
      keepMs,
      MAX_NOTES,
      `${cause?.reason} ${cause?.address ?? '-'}`,
      ...sids,
    ]);
  };

  const findIn = async (sid: string, uid: UserId): Promise<SessionLookup> => {
    const [nowMs, record, note] = await findSession(keysOf(uid), [sid]);
    if (record !== '') return { nowMs, known: { uid, record: parseSessionRecord(record) } };
    return { nowMs, known: note === '' ? undefined : { uid, end: parseSessionEnd(note) } };
  };

  return {
    async start({ uid, sid, endSid = '', userAgent, attributes = {}, boundTo, address = '-' }, rules) {
      const [nowMs, absoluteExpiresAtMs, replaced, ...evicted] = await startSession(keysOf(uid), [
        ...[sid, endSid, refreshTtlOf(attributes, rules), rules.maxAgeMs, rules.maxSessions],
        ...[cleanUserAgent(userAgent) + formatAttributes(attributes), keepNotesMs, MAX_NOTES, address],
        ...[boundTo?.thumbprint ?? '', boundTo?.compact ?? ''],
      ]);
      return { nowMs, absoluteExpiresAtMs, hasReplaced: replaced > 0, evicted };
    },

    async rotate(
      { uid, sid, generation, address = '-', expiresAtMs = 0, binding = UNASKED },
      { windowMs, recoveries, refreshTtlMs, notRememberedTtlMs },
    ) {
      assertGeneration(generation);
      const { policy, proof, isFirst, cookie } = binding;
      const reply = await rotateSession(keysOf(uid), [
        ...[
          sid,
          generation,
          windowMs,
          recoveries,
          refreshTtlMs,
          keepNotesMs,
          MAX_NOTES,
          address,
          expiresAtMs,
        ],
        Math.min(refreshTtlMs, notRememberedTtlMs),
        ...[policy, proof?.thumbprint ?? '', proof?.compact ?? '', cookie ?? ''],
        isFirst ? 1 : 0,
      ]);
      if (reply.length === 1) return { outcome: reply[0] };
      if (reply.length === 2) return { outcome: reply[0], kind: reply[1] };
      const [outcome, current, nowMs, createdAtMs, absoluteExpiresAtMs, attributes, bound] = reply;
      return {
        outcome,
        generation: current,
        nowMs,
        createdAtMs: Number(createdAtMs),
        absoluteExpiresAtMs,
        attributes: parseAttributes(attributes),
        isBound: bound === 1,
      };
    },

    bind: ({ uid, sid, key, expiresAtMs = 0 }) =>
      bindSession([userSessionsKey(uid)], [sid, key.thumbprint, key.compact, expiresAtMs]),

    async reauthenticate({ uid, sid }, authentication) {
      const { amr = '', auth_time = '' } = authentication ?? { amr: PASSWORD_METHODS, auth_time: NOW };
      const reply = await reauthenticateSession([userSessionsKey(uid)], [sid, amr, auth_time]);
      if (reply === null) return undefined;
      const [nowMs, createdAtMs, absoluteExpiresAtMs, attributes] = reply;
      return {
        nowMs,
        createdAtMs: Number(createdAtMs),
        absoluteExpiresAtMs: Number(absoluteExpiresAtMs),
        attributes: parseAttributes(attributes),
      };
    },

    ...redisProofStore(client),

    end: async ({ uid, sid }, cause) => (await end(uid, [sid], cause)).length > 0,
    endListed: end,

    async list(uid) {
      const [nowMs, ...pairs] = await listUserSessions([userSessionsKey(uid)], []);
      return listSessions(readPairs(pairs), nowMs);
    },

    async find(sid, uid) {
      if (uid !== undefined) return findIn(sid, uid);
      for (const server of client instanceof Cluster ? client.nodes('master') : [client]) {
        for await (const users of scanUsers(server)) {
          const results = await Promise.all(users.map((user) => findIn(sid, user)));
          const result = results.find(({ known }) => known !== undefined);
          if (result !== undefined) return result;
        }
      }
      // No user has the id 0; this only reads the time.
      return findIn(sid, 0);
    },

    async ends(uid) {
      const notes = await replyOf(client, client.lrange(endNotesKey(uid), 0, -1));
      return notes.map(parseSessionEnd);
    },
    async erase(uid) {
      const [sessions, ends] = await eraseSessions(keysOf(uid), []);
      return { sessions, ends };
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

/** The ids of a server's users, in batches; an id may appear several times. */
async function* scanUsers(server: Redis): AsyncGenerator<UserId[]> {
  let cursor = '0';
  do {
    let keys: string[];
    try {
      [cursor, keys] = await server.scan(cursor, 'MATCH', `${USER_KEY_PREFIX}*`, 'COUNT', SCAN_COUNT);
    } catch (error) {
      throw asStoreError(error);
    }
    const users = keys.map(userOfKey).filter((user) => user !== undefined);
    yield [...new Set(users)];
  } while (cursor !== '0');
}
