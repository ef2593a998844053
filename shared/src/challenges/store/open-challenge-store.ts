// Opens the challenge store on Redis or on the embedded store.

import type { Store } from '../../store/open-store.js';
import { slotTag } from '../attempts/pseudonyms.js';
import type { ChallengeStore } from './challenge-store.js';
import { embeddedChallengeStore, embeddedPassStore } from './embedded-challenge-store.js';
import { challengeKeys } from './records.js';
import { redisChallengeStore, redisPassStore } from './redis-challenge-store.js';

/**
 * Opens the challenge store on `store`, with keys that begin with `prefix` (`cache.prefix`).
 * @param site the key of a site: opens only the challenges and counters of this site
 */
export function openChallengeStore(store: Store, prefix: string, site?: string): ChallengeStore {
  const keys = challengeKeys(prefix, slotTag, site);
  return store.kind === 'embedded'
    ? { ...embeddedChallengeStore(store, keys), ...embeddedPassStore(store, keys) }
    : { ...redisChallengeStore(store.client, keys), ...redisPassStore(store.client, keys) };
}
