// Opens the session store on a connected store.

import type { Store } from '@tollgate/shared/store';
import { embeddedSessionStore } from './embedded-session-store.js';
import { redisSessionStore } from './redis-session-store.js';
import type { SessionStore } from './session-store.js';

/**
 * Opens the session store. The caller still owns the connected store and closes it.
 * @param keepNotesMs lifetime of notes on ended sessions, in milliseconds; 0 stores none
 */
export function openSessionStore(store: Store, keepNotesMs = 0): SessionStore {
  return store.kind === 'redis'
    ? redisSessionStore(store.client, keepNotesMs)
    : embeddedSessionStore(store, keepNotesMs);
}
