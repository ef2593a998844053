// Challenges that a device signs. They are computed from session and time, so that issuing one writes nothing.

import { equalText } from '@tollgate/shared/crypto/constant-time.js';
import { type KeyRing, keyedHash, type RingKey } from '@tollgate/shared/crypto/key-ring.js';

/**
 * What a challenge is for: the proof that binds a session (`first`), the registration of a browser's key (`bind`), the
 * renewals with that key, or the later proofs of a page. Only the response to a sign-in carries `first` and `bind`, so
 * whoever has copied a cookie cannot bind its session.
 */
export type ChallengePurpose = 'first' | 'bind' | 'renew' | 'proof';

/**
 * How long one challenge is issued, in milliseconds, and for how many such times it is accepted afterwards. A page binds
 * its session with the first refresh: `first` lives longer than an access token, 20 minutes at least.
 */
const SLICES = {
  first: { ms: 300_000, accepted: 4 },
  bind: { ms: 60_000, accepted: 1 },
  renew: { ms: 60_000, accepted: 1 },
  proof: { ms: 300_000, accepted: 1 },
} as const;

/**
 * The present challenge of a session: 16 bytes of HMAC-SHA256, base64url.
 * @param ring the keys of `REFRESH_SECRET`; the first one makes
 */
export function challengeFor(ring: KeyRing, purpose: ChallengePurpose, sid: string, nowMs: number): string {
  return challengeOf(ring.current, purpose, sid, sliceAt(purpose, nowMs));
}

/**
 * Whether a text is a challenge of the session for this purpose: of the present time slice, of those before that are
 * still accepted, or of the next, because the clocks of nodes differ.
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
  const slices = Array.from({ length: SLICES[purpose].accepted + 2 }, (_, place) => slice + 1 - place);
  return ring.all.some((key) => slices.some((each) => equalText(challengeOf(key, purpose, sid, each), text)));
}

function sliceAt(purpose: ChallengePurpose, nowMs: number): number {
  return Math.floor(nowMs / SLICES[purpose].ms);
}

function challengeOf(key: RingKey, purpose: ChallengePurpose, sid: string, slice: number): string {
  const derived = key.derive('tollgate binding challenge');
  return keyedHash(derived, purpose, sid, String(slice)).toString('base64url');
}
