// Puts the search for a session on an open store.

import type { Store } from '@tollgate/shared/store/open-store.js';
import { embeddedSessionSearch } from './embedded-session-search.js';
import { redisSessionSearch } from './redis-session-search.js';
import type { SessionSearch } from './session-search.js';

/** The search on a store of either kind; closing that is left to its owner. */
export function openSessionSearch(store: Store): SessionSearch {
  return store.kind === 'redis' ? redisSessionSearch(store.client) : embeddedSessionSearch(store);
}
