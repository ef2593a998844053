// Challenges that a device signs. They are computed from session and time, so that issuing one writes nothing.

import { equalText } from '@tollgate/shared/crypto/constant-time.js';
import type { KeyRing, RingKey } from '@tollgate/shared/crypto/key-ring.js';
import { keyedHash } from '@tollgate/shared/crypto/keyed-hash.js';

/** What a challenge is for: the registration of a browser's key, its renewals, or the proof of a page. */
export type ChallengePurpose = 'bind' | 'renew' | 'proof';

/** How long one challenge is issued, in milliseconds. */
const SLICE_MS = { bind: 60_000, renew: 60_000, proof: 300_000 } as const;

/**
 * The present challenge of a session: 16 bytes of HMAC-SHA256, base64url.
 * @param ring the keys of `REFRESH_SECRET`; the first one makes
 */
export function challengeFor(ring: KeyRing, purpose: ChallengePurpose, sid: string, nowMs: number): string {
  return challengeOf(ring.current, purpose, sid, sliceAt(purpose, nowMs));
}

/**
 * Whether a text is a challenge of the session for this purpose, of the present time slice, the one before, because
 * answers cross, or the next, because the clocks of nodes differ.
 */
export function isCurrentChallenge(
  ring: KeyRing,
  purpose: ChallengePurpose,
  sid: string,
  nowMs: number,
  text: unknown,
): boolean {
  if (typeof text !== 'string') return false;
  const slice = sliceAt(purpose, nowMs);
  return ring.all.some((key) =>
    [slice, slice - 1, slice + 1].some((each) => equalText(challengeOf(key, purpose, sid, each), text)),
  );
}

function sliceAt(purpose: ChallengePurpose, nowMs: number): number {
  return Math.floor(nowMs / SLICE_MS[purpose]);
}

function challengeOf(key: RingKey, purpose: ChallengePurpose, sid: string, slice: number): string {
  const derived = key.derive('tollgate binding challenge');
  return keyedHash(derived, purpose, sid, String(slice)).toString('base64url');
}
