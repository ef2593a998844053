// The session store on the embedded store: one text per user, one transaction per operation.

import type { EmbeddedStore, Transaction } from '@tollgate/shared/store/embedded-store.js';
import { decideRotation } from '../domain/rotation.js';
import {
  dropDead,
  evict,
  formatSessionSet,
  isLive,
  latestExpiryMs,
  newSession,
  parseSessionSet,
  type SessionSet,
} from '../domain/session-set.js';
import { assertGeneration } from './generation.js';
import { listSessions } from './listing.js';
import { userSessionsKey } from './session-keys.js';
import type { SessionStore } from './session-store.js';

/** What one step sees of a user: what it leaves in `sessions` is written when it calls `save`. */
interface Step {
  readonly nowMs: number;
  readonly sessions: SessionSet;
  save(): void;
}

export function embeddedSessionStore(store: EmbeddedStore): SessionStore {
  const step = <T>(uid: number, decide: (step: Step) => T): Promise<T> =>
    store.transact((transaction) => decide(openStep(transaction, userSessionsKey(uid))));

  const endWhere = (uid: number, chosen: (sid: string) => boolean): Promise<string[]> =>
    step(uid, ({ nowMs, sessions, save }) => {
      const ended = [...sessions].filter(([sid]) => chosen(sid));
      for (const [sid] of ended) sessions.delete(sid);
      if (ended.length > 0) save();
      return ended.filter(([, record]) => isLive(record, nowMs)).map(([sid]) => sid);
    });

  return {
    start: ({ uid, sid, endSid, userAgent }, rules) =>
      step(uid, ({ nowMs, sessions, save }) => {
        dropDead(sessions, nowMs);
        if (endSid !== undefined && endSid !== sid) sessions.delete(endSid);
        const session = sessions.get(sid) ?? newSession(userAgent, nowMs, rules);
        sessions.set(sid, session);
        const evicted = evict(sessions, sid, rules.maxSessions);
        save();
        return { nowMs: session.createdAtMs, absoluteExpiresAtMs: session.absoluteExpiresAtMs, evicted };
      }),

    async rotate({ uid, sid, generation }, rules) {
      assertGeneration(generation);
      return step(uid, ({ nowMs, sessions, save }) => {
        const known = sessions.get(sid);
        if (known === undefined) return { outcome: 'revoked' };
        const { verdict, next } = decideRotation(known, generation, nowMs, rules);
        if (next === undefined) {
          sessions.delete(sid);
          save();
          return { outcome: verdict };
        }
        sessions.set(sid, next);
        save();
        const { generation: current, absoluteExpiresAtMs } = next;
        return { outcome: verdict, generation: current, nowMs, absoluteExpiresAtMs };
      });
    },

    async proveUsed({ uid, sid, generation }) {
      assertGeneration(generation);
      await step(uid, ({ sessions, save }) => {
        const record = sessions.get(sid);
        if (record === undefined || record.used >= generation) return;
        sessions.set(sid, { ...record, used: generation });
        save();
      });
    },

    end: async ({ uid, sid }) => (await endWhere(uid, (other) => other === sid)).length > 0,
    endAll: (uid) => endWhere(uid, () => true),
    endOthers: (uid, sid) => endWhere(uid, (other) => other !== sid),
    endListed: (uid, sids) => endWhere(uid, (sid) => sids.includes(sid)),
    list: (uid) => step(uid, ({ nowMs, sessions }) => listSessions(sessions, nowMs)),
  };
}

function openStep(transaction: Transaction, key: string): Step {
  const sessions = parseSessionSet(transaction.get(key));
  return {
    nowMs: transaction.nowMs,
    sessions,
    save() {
      if (sessions.size === 0) transaction.remove(key);
      else transaction.put(key, formatSessionSet(sessions), latestExpiryMs(sessions));
    },
  };
}
