// Learns what the hashes of a directory cost, so that an account that does not exist costs the same.

import { hashCost, makeDummyHash, TODAYS_COST } from './password-hash.js';

/** Counts the costs of the hashes that it is shown. */
export interface DummyHash {
  /** Notes what a user's hash costs now; a text that is no hash is passed over. */
  note(userId: number, passwordHash: string): void;
  /** A hash of the most common cost that belongs to nobody; the same until another cost becomes the most common. */
  readonly dummy: string;
}

/** Users whose hashes are remembered; the one noted longest ago is forgotten first. */
const REMEMBERED = 1000;

/**
 * Makes a census. It begins with the hashes that are made today, and learns from log-ins, whether their passwords are
 * right or wrong: a directory can be asked for one user and not for all. Each user counts once, with his newest hash,
 * so that nobody shifts the count by signing in again and again. After a start it takes one log-in to an account that
 * exists to learn the cost of a directory whose hashes are all alike, so timing tells an outsider of one account at
 * most. In a directory of several costs, accounts with a rarer one differ in time from the others and from those that
 * do not exist, until their owners have signed in and their hashes have been replaced.
 */
export function createDummyHash(): DummyHash {
  const costs = new Map<number, string>();
  const counts = new Map<string, number>();
  let common = TODAYS_COST;
  let dummy = makeDummyHash(common);

  const count = (cost: string, change: 1 | -1) => {
    const users = (counts.get(cost) ?? 0) + change;
    if (users === 0) counts.delete(cost);
    else counts.set(cost, users);
  };
  const forget = (userId: number) => {
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
      if (costs.size > REMEMBERED) forget(costs.keys().next().value ?? userId);
      const most = mostCommon(counts, common);
      if (most === common) return;
      common = most;
      dummy = makeDummyHash(common);
    },
    get dummy() {
      return dummy;
    },
  };
}

/** The cost with the highest count; the present one as long as it has no less than the others. */
function mostCommon(counts: ReadonlyMap<string, number>, present: string): string {
  let most = present;
  for (const [cost, users] of counts) if (users > (counts.get(most) ?? 0)) most = cost;
  return most;
}
