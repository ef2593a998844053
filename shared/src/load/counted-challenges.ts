// Counts the challenges that are issued and refused, for the load of this process.

import type { ChallengeStore, Issued } from '../challenges/store/challenge-store.js';
import type { LoadWatch } from './load-watch.js';

/** Returns the same store, whose issues are also counted. */
export function counted(store: ChallengeStore, load: Pick<LoadWatch, 'issued' | 'refused'>): ChallengeStore {
  const count = (issued: Issued) => {
    if (issued.allowed) load.issued();
    else load.refused();
    return issued;
  };
  return {
    ...store,
    issuePow: async (issue) => count(await store.issuePow(issue)),
    issueEffort: async (issue) => count(await store.issueEffort(issue)),
    issueImage: async (issue) => count(await store.issueImage(issue)),
  };
}
