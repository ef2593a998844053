// The store key of a user's sessions, and the check of a generation.

import type { UserId } from '../schemas/user-id.js';

/**
 * Returns the key of the sessions of one user: on Redis a hash from session id to record, on the embedded store one text.
 * The braces are the hash tag of Redis Cluster. The key expires with the last session.
 */
export function userSessionsKey(uid: UserId): string {
  return `session:{${uid}}`;
}

/**
 * Checks a generation before it reaches the store.
 * @throws RangeError unless it is a whole number from 1, like every generation in a token of the service
 */
export function assertGeneration(generation: number): void {
  if (!Number.isSafeInteger(generation) || generation < 1)
    throw new RangeError('not a valid session generation');
}
