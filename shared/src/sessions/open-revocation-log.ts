// Puts the revocation log on an open store.

import type { Store } from '../store/open-store.js';
import { embeddedRevocationLog } from './embedded-revocation-log.js';
import { redisRevocationLog } from './redis-revocation-log.js';
import type { RevocationLog } from './revocation-log.js';

/** The revocation log on a store of either kind; closing that is left to its owner. */
export function openRevocationLog(store: Store): RevocationLog {
  return store.kind === 'redis' ? redisRevocationLog(store.client) : embeddedRevocationLog(store);
}
