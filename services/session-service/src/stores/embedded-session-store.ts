// The session store on the embedded store: one text per user, one transaction per operation.

import type { UserId } from '@tollgate/shared/schemas';
import { assertGeneration, embeddedProofStore, userSessionsKey } from '@tollgate/shared/sessions';
import type { EmbeddedStore, Transaction } from '@tollgate/shared/store';
import {
  bindingKindOf,
  bindToProof,
  decideRegistration,
  isBoundByRefresh,
} from '../domain/binding/binding-rule.js';
import { decideRotation } from '../domain/rotation.js';
import {
  addSessionEnds,
  expiredEnd,
  formatSessionEnds,
  parseSessionEnds,
  type SessionEnd,
} from '../domain/session-end.js';
import { listSessions } from '../domain/session-entry.js';
import { passwordAttributes } from '../domain/session-record.js';
import {
  dropExpired,
  evict,
  formatSessionSet,
  isLive,
  latestExpiryMs,
  newSession,
  parseSessionSet,
  type SessionSet,
} from '../domain/session-set.js';
import { endNotesKey, USER_KEY_PREFIX, userOfKey } from './session-keys.js';
import type { KnownSession, SessionStore } from './session-store.js';

/** A user's data within one transaction. Changes to `sessions` are written by `save`. */
interface Step {
  readonly nowMs: number;
  readonly sessions: SessionSet;
  save(): void;
  /** Stores the notes of these ends, the newest last. */
  note(ends: readonly SessionEnd[]): void;
}

/** @param keepNotesMs lifetime of an end's note, in milliseconds; 0 stores none */
export function embeddedSessionStore(store: EmbeddedStore, keepNotesMs: number): SessionStore {
  const step = <T>(uid: UserId, decide: (step: Step) => T): Promise<T> =>
    store.transact((transaction) => decide(openStep(transaction, uid, keepNotesMs)));

  const end: SessionStore['endListed'] = (uid, sids, cause) =>
    step(uid, ({ nowMs, sessions, save, note }) => {
      const found = sids.flatMap((sid) => {
        const record = sessions.get(sid);
        return sessions.delete(sid) && record !== undefined ? [{ sid, record }] : [];
      });
      if (found.length > 0) save();
      const alive = found.filter(({ record }) => isLive(record, nowMs)).map(({ sid }) => sid);
      if (cause !== undefined) {
        note(
          found.map(({ sid, record }) =>
            alive.includes(sid) ? { sid, atMs: nowMs, ...cause } : expiredEnd(sid, record),
          ),
        );
      }
      return alive;
    });

  /** Reads the sessions before the notes: a session that ends between the two reads is found in the notes. */
  const findIn = async (sid: string, uid: UserId): Promise<KnownSession | undefined> => {
    const record = parseSessionSet(await store.read(userSessionsKey(uid))).get(sid);
    if (record !== undefined) return { uid, record };
    const end = parseSessionEnds(await store.read(endNotesKey(uid))).find((one) => one.sid === sid);
    return end === undefined ? undefined : { uid, end };
  };

  const findAnywhere = async (sid: string): Promise<KnownSession | undefined> => {
    const users = new Set((await store.keys(USER_KEY_PREFIX)).map(userOfKey));
    for (const uid of users) {
      const known = uid === undefined ? undefined : await findIn(sid, uid);
      if (known !== undefined) return known;
    }
    return undefined;
  };

  return {
    start: ({ uid, sid, endSid, userAgent, attributes, boundTo, address }, rules) =>
      step(uid, ({ nowMs, sessions, save, note }) => {
        const expired = dropExpired(sessions, nowMs).map(([id, record]) => expiredEnd(id, record));
        const hasReplaced = endSid !== undefined && endSid !== sid && sessions.delete(endSid);
        const fresh = newSession(userAgent, nowMs, rules, attributes);
        const session =
          sessions.get(sid) ?? (boundTo === undefined ? fresh : bindToProof(fresh, boundTo, nowMs));
        sessions.set(sid, session);
        const evicted = evict(sessions, sid, rules.maxSessions);
        save();
        note([
          ...expired,
          ...(hasReplaced ? [{ sid: endSid, atMs: nowMs, reason: 'login' as const, address }] : []),
          ...evicted.map((id) => ({ sid: id, atMs: nowMs, reason: 'evicted' as const, address })),
        ]);
        const { createdAtMs, absoluteExpiresAtMs } = session;
        return { nowMs: createdAtMs, absoluteExpiresAtMs, hasReplaced, evicted };
      }),

    async rotate({ uid, sid, generation, address, expiresAtMs, binding }, rules) {
      assertGeneration(generation);
      return step(uid, ({ nowMs, sessions, save, note }) => {
        const known = sessions.get(sid);
        if (known === undefined) return { outcome: goneOutcome(expiresAtMs, nowMs) };
        const { verdict, next, ...why } = decideRotation(known, generation, nowMs, rules, binding);
        if (verdict === 'binding_required')
          return { outcome: verdict, kind: bindingKindOf(known.attributes) };
        if (next === undefined) {
          sessions.delete(sid);
          save();
          const end = { sid, atMs: nowMs, address };
          const reuse = { presented: generation, current: known.generation, ...why };
          if (verdict === 'reuse') note([{ ...end, reason: verdict, ...reuse }]);
          else note([verdict === 'binding_failed' ? { ...end, reason: verdict } : expiredEnd(sid, known)]);
          return { outcome: verdict };
        }
        sessions.set(sid, next);
        save();
        const { generation: current, createdAtMs, absoluteExpiresAtMs, attributes } = next;
        const times = { nowMs, createdAtMs, absoluteExpiresAtMs };
        const isBound = isBoundByRefresh(known.attributes, attributes);
        return { outcome: verdict, generation: current, ...times, attributes, isBound };
      });
    },

    bind: ({ uid, sid, key, expiresAtMs }) =>
      step(uid, ({ nowMs, sessions, save }) => {
        const known = sessions.get(sid);
        if (known === undefined) return goneOutcome(expiresAtMs, nowMs);
        const registration = decideRegistration(known, key, nowMs);
        if (registration.outcome === 'bound') {
          sessions.set(sid, registration.next);
          save();
        }
        return registration.outcome;
      }),

    reauthenticate: ({ uid, sid }, authentication) =>
      step(uid, ({ nowMs, sessions, save }) => {
        const known = sessions.get(sid);
        if (known === undefined || !isLive(known, nowMs)) return undefined;
        const attributes = { ...known.attributes, ...(authentication ?? passwordAttributes(nowMs)) };
        sessions.set(sid, { ...known, attributes });
        save();
        const { createdAtMs, absoluteExpiresAtMs } = known;
        return { nowMs, createdAtMs, absoluteExpiresAtMs, attributes };
      }),

    ...embeddedProofStore(store),

    end: async ({ uid, sid }, cause) => (await end(uid, [sid], cause)).length > 0,
    endListed: end,
    list: (uid) => step(uid, ({ nowMs, sessions }) => listSessions(sessions, nowMs)),

    async find(sid, uid) {
      const known = await (uid === undefined ? findAnywhere(sid) : findIn(sid, uid));
      return { nowMs: await store.transact(({ nowMs }) => nowMs), known };
    },
    ends: async (uid) => parseSessionEnds(await store.read(endNotesKey(uid))),
    erase: (uid) =>
      store.transact(({ get, remove }) => {
        const [key, notesKey] = [userSessionsKey(uid), endNotesKey(uid)];
        const sessions = parseSessionSet(get(key)).size;
        const ends = parseSessionEnds(get(notesKey)).length;
        remove(key);
        remove(notesKey);
        return { sessions, ends };
      }),
  };
}

/** An ended session leaves the same gap as an expired one; only the token tells them apart. */
function goneOutcome(expiresAtMs: number | undefined, nowMs: number): 'expired' | 'revoked' {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? 'expired' : 'revoked';
}

function openStep(transaction: Transaction, uid: UserId, keepNotesMs: number): Step {
  const { nowMs } = transaction;
  const [key, notesKey] = [userSessionsKey(uid), endNotesKey(uid)];
  const sessions = parseSessionSet(transaction.get(key));
  return {
    nowMs,
    sessions,
    save() {
      if (sessions.size === 0) transaction.remove(key);
      else transaction.put(key, formatSessionSet(sessions), latestExpiryMs(sessions));
    },
    note(ends) {
      const kept = ends.filter(({ atMs }) => atMs > nowMs - keepNotesMs);
      if (kept.length === 0) return;
      const before = parseSessionEnds(transaction.get(notesKey));
      transaction.put(
        notesKey,
        formatSessionEnds(addSessionEnds(before, kept, nowMs - keepNotesMs)),
        nowMs + keepNotesMs,
      );
    },
  };
}
