// Notes on the store that a generation of a session has reached its owner.

import type { EmbeddedStore } from '../store/embedded-store.js';
import type { Store } from '../store/open-store.js';
import type { RedisClient } from '../store/redis-connection.js';
import { loadScript } from '../store/redis-script.js';
import { assertGeneration } from './generation.js';
import { userSessionsKey } from './session-keys.js';

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
        const lines = text.split('\n').map((line) => withMark(line, sid, generation));
        const raised = lines.join('\n');
        if (raised !== text) transaction.put(key, raised, expiresAtMs);
      });
    },
  };
}

function withMark(line: string, sid: string, generation: number): string {
  if (!line.startsWith(`${sid} `)) return line;
  return line.replace(LINE, (whole, before: string, used: string, after: string) =>
    Number(used) >= generation ? whole : `${before} ${generation} ${after}`,
  );
}
