// The dummy hash: verified for accounts that do not exist, at the cost that is most common in the directory.

import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import { CURRENT_COST, hashCost, makeDummyHash } from './password-hash.js';

/** A dummy hash whose cost follows the hashes of the directory. */
export interface DummyHash {
  /** Records the cost of a user's hash; a text that is not a valid hash is ignored. */
  note(userId: UserId, passwordHash: string): void;
  /** A hash of the most common cost that matches no password; it changes only when the most common cost does. */
  readonly value: string;
}

/** Users whose costs are remembered; the one recorded longest ago is forgotten first. */
const MAX_USERS = 1000;

/**
 * Creates the dummy hash. It starts with the cost of new hashes and learns from every log-in to an existing account,
 * successful or not, because a directory cannot list its users. Each user counts once, with the newest hash, so
 * repeated log-ins cannot shift the result.
 *
 * If all hashes of the directory cost the same, one log-in to an existing account after a start is enough, so timing
 * reveals at most one account. If costs differ, accounts with a rarer cost differ in time from accounts that do not
 * exist, until their owners sign in and their hashes are replaced.
 */
export function createDummyHash(): DummyHash {
  const costs = new Map<UserId, string>();
  const counts = new Map<string, number>();
  let common = CURRENT_COST;
  let dummy = makeDummyHash(common);

  const count = (cost: string, change: 1 | -1) => {
    const users = (counts.get(cost) ?? 0) + change;
    if (users === 0) counts.delete(cost);
    else counts.set(cost, users);
  };
  const forget = (userId: UserId) => {
    const cost = costs.get(userId);
    if (cost === undefined) return;
    costs.delete(userId);
    count(cost, -1);
  };

  return {
    note(userId, passwordHash) {
      const cost = hashCost(passwordHash);
      if (cost === undefined) return;
      forget(userId);
      costs.set(userId, cost);
      count(cost, 1);
      if (costs.size > MAX_USERS) forget(costs.keys().next().value ?? userId);
      const most = mostCommon(counts, common);
      if (most === common) return;
      common = most;
      dummy = makeDummyHash(common);
    },
    get value() {
      return dummy;
    },
  };
}

/** The cost with the highest count; on a tie the present one wins. */
function mostCommon(counts: ReadonlyMap<string, number>, present: string): string {
  let most = present;
  for (const [cost, users] of counts) if (users > (counts.get(most) ?? 0)) most = cost;
  return most;
}
