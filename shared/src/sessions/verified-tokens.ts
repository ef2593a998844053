// Checks the lifetimes of verified access tokens, and reports their use to the store.

import { createBoundedMap } from '../cache/bounded-maps.js';
import { openKeyRecord, type ReportedKeys, SILENCE_MS } from '../keys/key-record.js';
import type { UserId } from '../schemas/user-id.js';
import type { EmbeddedStore } from '../store/embedded-store.js';
import type { Store } from '../store/open-store.js';
import { loadScript, type RedisClient } from '../store/redis-connection.js';
import { type AnswerLimit, newAnswerLimit, waitForAnswer } from '../store/store.js';
import { assertGeneration, userSessionsKey } from './session-keys.js';

/** How long a cached record is used, in milliseconds. */
const READ_AGAIN_MS = 10_000;

/** The pause after a failed read, in milliseconds. */
const AFTER_FAILURE_MS = 1000;

/** Checks the lifetimes of access tokens. */
export interface AccessLifetimes {
  /**
   * Returns whether a token may live `seconds`: at once, or a promise while it reads the store, which it does only for a
   * longer lifetime than its own. Never throws.
   * @param limit the remaining time of the request for stores
   */
  allows(seconds: number, limit?: AnswerLimit): boolean | Promise<boolean>;
}

/**
 * @param ownSeconds `ACCESS_TTL`; lifetimes up to it are always allowed
 * @param store store of the reports; without it no longer lifetime is allowed, and while it does not respond, only those of
 *   the last report
 */
export function openAccessLifetimes(ownSeconds: number, store?: Store): AccessLifetimes {
  const record = store === undefined ? undefined : openKeyRecord(store);
  let reading: Promise<number> | undefined;
  let readAtMs = 0;
  let known = 0;
  const longest = async (reader: NonNullable<typeof record>, limit: AnswerLimit): Promise<number> => {
    if (reading === undefined || performance.now() - readAtMs >= READ_AGAIN_MS) {
      readAtMs = performance.now();
      reading = reader.read().then(longestLifetime);
      reading.then(
        (most) => {
          known = most;
        },
        () => {
          readAtMs += AFTER_FAILURE_MS - READ_AGAIN_MS;
        },
      );
    }
    return waitForAnswer(limit, reading).catch(() => known);
  };
  return {
    allows(seconds, limit = newAnswerLimit()) {
      if (seconds <= ownSeconds) return true;
      return record === undefined ? false : longest(record, limit).then((most) => seconds <= most);
    },
  };
}

// A lifetime counts as long as its tokens may be alive: a node makes them until it falls silent.
function longestLifetime({ lifetimes, nowMs }: ReportedKeys): number {
  const inUse = lifetimes.filter(
    ({ name, seconds, lastMs }) => name === 'access' && nowMs < lastMs + SILENCE_MS + seconds * 1000,
  );
  return Math.max(0, ...inUse.map(({ seconds }) => seconds));
}

/** The claims that identify a generation: user, session, generation. */
export interface SeenClaims {
  readonly id: UserId;
  readonly sid: string;
  readonly gen: number;
}

const MOST_SESSIONS = 50_000;

/**
 * Returns a function to call for every verified access token. It writes once per generation and node, without waiting; after
 * an error the next token writes again.
 *
 * @param mostSessions sessions in memory; the least recently used one is dropped, and costs another write
 */
export function createProofOfUse(
  sessions: ProofStore,
  mostSessions = MOST_SESSIONS,
): (claims: SeenClaims) => void {
  const proven = createBoundedMap<number>(mostSessions);
  return ({ id, sid, gen }) => {
    if ((proven.get(sid) ?? 0) >= gen) return;
    proven.set(sid, gen);
    sessions.proveUsed({ uid: id, sid, generation: gen }).catch(() => {
      if (proven.get(sid) === gen) proven.set(sid, gen - 1);
    });
  };
}

/** A generation of a user's session. */
export interface UsedGeneration {
  readonly uid: UserId;
  /** The session's id: letters and digits. */
  readonly sid: string;
  /** A whole number from 1. */
  readonly generation: number;
}

/** Records used generations. */
export interface ProofStore {
  /**
   * Records that a generation has reached its owner. Never creates a session, never lowers a recorded generation.
   * @throws RangeError for an invalid generation
   * @throws StoreUnavailableError if the store does not respond
   */
  proveUsed(used: UsedGeneration): Promise<void>;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

// A session in the embedded store: session id, six numbers, the highest used generation, and more.
const SESSION = /^(\S+ \d+ \d+ \d+ \d+ \d+ \d+) (\d+) (.*)$/;

/** Opens the proof store on Redis or on the embedded store. */
export function openProofStore(store: Store): ProofStore {
  return store.kind === 'redis' ? redisProofStore(store.client) : embeddedProofStore(store);
}

/** The proof store on Redis: one script. */
export function redisProofStore(client: RedisClient): ProofStore {
  const prove = loadScript<number>(client, SCRIPTS, 'session_prove_used');
  return {
    async proveUsed({ uid, sid, generation }) {
      assertGeneration(generation);
      await prove([userSessionsKey(uid)], [sid, generation]);
    },
  };
}

/** The proof store on the embedded store: one transaction. */
export function embeddedProofStore(store: EmbeddedStore): ProofStore {
  return {
    async proveUsed({ uid, sid, generation }) {
      assertGeneration(generation);
      await store.transact((transaction) => {
        const key = userSessionsKey(uid);
        const text = transaction.get(key);
        const expiresAtMs = transaction.expiryOf(key);
        if (text === undefined || expiresAtMs === undefined) return;
        const sessions = text.split('\n').map((session) => withUsedGeneration(session, sid, generation));
        const raised = sessions.join('\n');
        if (raised !== text) transaction.put(key, raised, expiresAtMs);
      });
    },
  };
}

function withUsedGeneration(line: string, sid: string, generation: number): string {
  if (!line.startsWith(`${sid} `)) return line;
  return line.replace(SESSION, (whole, before: string, used: string, after: string) =>
    Number(used) >= generation ? whole : `${before} ${generation} ${after}`,
  );
}
