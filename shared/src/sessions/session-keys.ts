// The name of the sessions of a user, for all that touches them.

/**
 * The sessions of one user. On Redis a hash, session id → record; the braces are the hash tag that a cluster
 * places the key by. On the embedded store one text. It expires with the last of the sessions.
 */
export function userSessionsKey(uid: number): string {
  return `session:{${uid}}`;
}

/**
 * @throws RangeError when it is no whole number from 1; a token of ours never carries such a one
 */
export function assertGeneration(generation: number): void {
  if (!Number.isSafeInteger(generation) || generation < 1) throw new RangeError('no generation of a session');
}
