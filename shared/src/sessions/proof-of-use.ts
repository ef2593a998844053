// Notes that a generation has reached its owner when one of its access tokens is first seen here.

import type { EmbeddedStore } from '../store/embedded-store.js';
import type { Store } from '../store/open-store.js';
import type { RedisClient } from '../store/redis-connection.js';
import { loadScript } from '../store/redis-script.js';
import { assertGeneration, userSessionsKey } from './session-keys.js';

/** The claims that matter: user, session, generation. */
export interface SeenClaims {
  readonly id: number;
  readonly sid: string;
  readonly gen: number;
}

const MOST_SESSIONS = 50_000;

/**
 * Makes what is told of every verified access token: one write per generation and node that is
 * not awaited and whose errors are ignored (decisions 3.4).
 *
 * @param mostSessions sessions remembered; the one not seen for longest is forgotten, and costs a write again
 */
export function createProofOfUse(
  sessions: ProofStore,
  mostSessions = MOST_SESSIONS,
): (claims: SeenClaims) => void {
  const proven = new Map<string, number>();
  return ({ id, sid, gen }) => {
    if ((proven.get(sid) ?? 0) >= gen) return;
    proven.delete(sid);
    proven.set(sid, gen);
    if (proven.size > mostSessions) proven.delete(proven.keys().next().value as string);
    sessions.proveUsed({ uid: id, sid, generation: gen }).catch(() => {});
  };
}

/** A generation of a user's session. */
export interface UsedGeneration {
  /** The user's id: a whole number. */
  readonly uid: number;
  /** The session's id: letters and digits. */
  readonly sid: string;
  /** A whole number from 1. */
  readonly generation: number;
}

/** Throws StoreUnavailableError when the store does not answer. */
export interface ProofStore {
  /**
   * Notes that a generation has reached its owner. Never makes a session, never lowers the mark.
   * @throws RangeError for a generation that is none
   */
  proveUsed(used: UsedGeneration): Promise<void>;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

// A line of the embedded store: session id, six numbers, the highest generation that was used, and more.
const LINE = /^(\S+ \d+ \d+ \d+ \d+ \d+ \d+) (\d+) (.*)$/;

/** The operation on a store of either kind. */
export function openProofStore(store: Store): ProofStore {
  return store.kind === 'redis' ? redisProofStore(store.client) : embeddedProofStore(store);
}

/** The operation on Redis: one script. */
export function redisProofStore(client: RedisClient): ProofStore {
  const prove = loadScript<number>(client, SCRIPTS, 'session_prove_used');
  return {
    async proveUsed({ uid, sid, generation }) {
      assertGeneration(generation);
      await prove([userSessionsKey(uid)], [sid, generation]);
    },
  };
}

/** The operation on the embedded store: one transaction. */
export function embeddedProofStore(store: EmbeddedStore): ProofStore {
  return {
    async proveUsed({ uid, sid, generation }) {
      assertGeneration(generation);
      await store.transact((transaction) => {
        const key = userSessionsKey(uid);
        const text = transaction.get(key);
        const expiresAtMs = transaction.expiryOf(key);
        if (text === undefined || expiresAtMs === undefined) return;
        const lines = text.split('\n').map((line) => withUsedGeneration(line, sid, generation));
        const raised = lines.join('\n');
        if (raised !== text) transaction.put(key, raised, expiresAtMs);
      });
    },
  };
}

function withUsedGeneration(line: string, sid: string, generation: number): string {
  if (!line.startsWith(`${sid} `)) return line;
  return line.replace(LINE, (whole, before: string, used: string, after: string) =>
    Number(used) >= generation ? whole : `${before} ${generation} ${after}`,
  );
}
