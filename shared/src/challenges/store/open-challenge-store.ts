// Opens the challenge operations on a store of either kind.

import type { Store } from '../../store/open-store.js';
import { slotTag } from '../attempts/pseudonyms.js';
import { challengeKeys } from './challenge-keys.js';
import type { ChallengeStore } from './challenge-store.js';
import { embeddedChallengeStore } from './embedded-challenge-store.js';
import { redisChallengeStore } from './redis-challenge-store.js';

/** The operations on `store`, their keys under `prefix` (`cache.prefix`). */
export function openChallengeStore(store: Store, prefix: string): ChallengeStore {
  const keys = challengeKeys(prefix, slotTag);
  return store.kind === 'embedded'
    ? embeddedChallengeStore(store, keys)
    : redisChallengeStore(store.client, keys);
}
