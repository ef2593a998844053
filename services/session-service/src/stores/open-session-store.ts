// Puts the session operations on an open store.

import type { Store } from '@tollgate/shared/store/open-store.js';
import { embeddedSessionStore } from './embedded-session-store.js';
import { redisSessionStore } from './redis-session-store.js';
import type { SessionStore } from './session-store.js';

/** The session store on a store of either kind; closing that is left to its owner. */
export function openSessionStore(store: Store): SessionStore {
  return store.kind === 'redis' ? redisSessionStore(store.client) : embeddedSessionStore(store);
}
