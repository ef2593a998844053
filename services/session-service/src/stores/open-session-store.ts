// Puts the session operations on an open store.

import type { Store } from '@tollgate/shared/store/open-store.js';
import { embeddedSessionStore } from './embedded-session-store.js';
import { redisSessionStore } from './redis-session-store.js';
import type { SessionStore } from './session-store.js';

/**
 * The session store on a store of either kind; closing that is left to its owner.
 * @param keepNotesMs how long the note of how a session ended is kept, in milliseconds; 0 keeps none
 */
export function openSessionStore(store: Store, keepNotesMs = 0): SessionStore {
  return store.kind === 'redis'
    ? redisSessionStore(store.client, keepNotesMs)
    : embeddedSessionStore(store, keepNotesMs);
}
