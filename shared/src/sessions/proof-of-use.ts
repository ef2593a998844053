// Notes that a generation has reached its owner when one of its access tokens is first seen here.

import type { ProofStore } from './proof-store.js';

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
