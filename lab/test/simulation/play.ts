// Runs a simulation: with the pure rule and a virtual clock, or with a real store that is aged.

import {
  bindingKindOf,
  bindToProof,
  type PresentedBinding,
  UNASKED,
} from '@tollgate/session-service/domain/binding/binding-rule.js';
import { decideRotation, type Rotation } from '@tollgate/session-service/domain/rotation.js';
import type { SessionRecord } from '@tollgate/session-service/domain/session-record.js';
import { newSession } from '@tollgate/session-service/domain/session-set.js';
import type { RotationVerdict, SessionStore } from '@tollgate/session-service/stores/session-store.js';
import type { History } from './history.js';
import { type SimulationOptions, simulate } from './simulate.js';
import type { Party, Trace } from './trace.js';

const LOG_IN_MS = 1_700_000_000_000;

const KEY = { thumbprint: 'key', compact: 'EC.x.y' };

const THIEF_KEY = { thumbprint: 'thief', compact: 'EC.t.t' };

/** Proofs of a refresh besides its token. */
function shownBy(by: Party | undefined, { isBound, thievesBind }: SimulationOptions): PresentedBinding {
  if (by === 'owner') return { policy: 'offer', proof: isBound ? KEY : undefined };
  if (thievesBind === undefined) return { policy: 'offer' };
  return { policy: 'offer', proof: THIEF_KEY, isFirst: thievesBind === 'first_nonce' };
}

/** The trace of this history under `decideRotation`. */
export function playOnRule(history: History, options: SimulationOptions): Trace {
  const { rules, isBound = false } = options;
  const play = simulate(history, options);
  const started = newSession('', LOG_IN_MS, rules);
  let session: SessionRecord | undefined = isBound ? bindToProof(started, KEY, LOG_IN_MS) : started;
  let step = play.next();
  while (!step.done) {
    const { kind, atMs, generation, by } = step.value;
    if (kind === 'prove') {
      if (session !== undefined && session.used < generation) session = { ...session, used: generation };
      step = play.next();
      continue;
    }
    const nowMs: number = LOG_IN_MS + atMs;
    const isAsked = isBound || options.thievesBind !== undefined;
    const shown = isAsked ? shownBy(by, options) : UNASKED;
    const rotation = decideRotation(session, generation, nowMs, rules, shown);
    session = rotation.next;
    step = play.next(answerOf(rotation, nowMs));
  }
  return step.value;
}

function answerOf(rotation: Rotation, nowMs: number): RotationVerdict {
  if (rotation.next === undefined) return { outcome: rotation.verdict };
  const { generation, createdAtMs, absoluteExpiresAtMs, attributes } = rotation.next;
  const { verdict: outcome } = rotation;
  if (outcome === 'binding_required') return { outcome, kind: bindingKindOf(attributes) };
  return { outcome, generation, nowMs, createdAtMs, absoluteExpiresAtMs, attributes, isBound: false };
}

/** A store whose data can be aged. */
export interface AgeingStore {
  readonly sessions: SessionStore;
  age(ms: number): Promise<void>;
}

/**
 * The trace of this history on a store. Choose `tickMs` so that the duration of a test has no influence.
 * @param uid a user without sessions
 */
export async function playOnStore(
  { sessions, age }: AgeingStore,
  uid: number,
  history: History,
  options: SimulationOptions,
): Promise<Trace> {
  const session = { uid, sid: 'simulated' };
  const { rules } = options;
  const play = simulate(history, options);
  await sessions.start({ ...session, userAgent: '' }, rules);
  let ageMs = 0;
  let step = play.next();
  while (!step.done) {
    const { kind, atMs, generation } = step.value;
    if (atMs > ageMs) await age(atMs - ageMs);
    ageMs = atMs;
    if (kind === 'rotate') step = play.next(await sessions.rotate({ ...session, generation }, rules));
    else {
      await sessions.proveUsed({ ...session, generation });
      step = play.next();
    }
  }
  await sessions.end(session);
  return step.value;
}
