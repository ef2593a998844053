// Attempts without a known outcome: they count as failures, and do not displace real ones.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  type Attempt,
  MAX_ATTEMPTS,
  MOST_ENTRIES,
  withAttempt,
} from '../../../src/challenges/attempts/attempts.js';
import type { ChallengeStore } from '../../../src/challenges/store/challenge-store.js';
import { account, address, challengesOn, DECAY_MS, MINUTE_MS, newClaim } from '../fixtures.js';

const open = (challenges: ChallengeStore, claims: readonly string[]) =>
  Promise.all(claims.map((claim) => challenges.countAttempt({ account, claim, decayMs: DECAY_MS })));

const claimsOf = (count: number) => Array.from({ length: count }, newClaim);

const failuresOf = async (challenges: ChallengeStore) =>
  (await challenges.attemptStatus(account, undefined, DECAY_MS)).failures;

t.test("parallel attempts that all end in a 503 do not displace an account's failures", async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    await open(challenges, claimsOf(40));
    await age(MINUTE_MS);
    await open(challenges, claimsOf(60));
    await age(MINUTE_MS);
    const flood = claimsOf(250);
    const told = await open(challenges, flood);
    t.ok(
      told.every(({ failures }) => failures === 100),
      'no try is told of more than are remembered',
    );
    t.equal(await failuresOf(challenges), 100);
    for (const claim of flood) await challenges.withdrawAttempt(account, undefined, claim);
    t.equal(await failuresOf(challenges), 100);
    await age(DECAY_MS - 2 * MINUTE_MS);
    t.equal(await failuresOf(challenges), 60, 'each of them lives as long as before');
  });
});

t.test('failed attempts displace older failures once they can no longer be withdrawn', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    await open(challenges, claimsOf(60));
    await age(MINUTE_MS);
    const newest = claimsOf(100);
    await open(challenges, newest);
    await age(MINUTE_MS);
    await open(challenges, ['a'.repeat(32)]);
    for (const claim of newest) await challenges.withdrawAttempt(account, undefined, claim);
    t.equal(await failuresOf(challenges), 1, 'of the first 60 none was left');
  });
});

t.test('the list is bounded for any number of open attempts', async (t) => {
  let attempts: Attempt[] = [];
  for (let n = 0; n < 3 * MOST_ENTRIES; n++) attempts = withAttempt(attempts, `${n}`, 1_000_000 + n);
  t.equal(attempts.length, MOST_ENTRIES);
  t.equal(attempts.at(-1)?.claim, `${3 * MOST_ENTRIES - 1}`, 'the newest are kept');
  attempts = withAttempt(attempts, 'later', 2_000_000);
  t.equal(attempts.length, MAX_ATTEMPTS + 1, 'and the others go when they are no longer open');
});

t.test(
  'several devices of one owner at one address: their logins delay the pair only while open',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const challenges = challengesOn(store);
      const tryOnce = () =>
        challenges.countAttempt({ account, address, claim: newClaim(), decayMs: DECAY_MS });
      const devices = await Promise.all(Array.from({ length: 6 }, tryOnce));
      t.equal(devices.filter(({ waitMs }) => waitMs === 0).length, 5, 'an open try counts like a failure');
      await challenges.clearFailures(account, address);
      t.strictSame(
        await tryOnce(),
        { failures: 0, waitMs: 0 },
        'once one of them has succeeded, the sixth goes on',
      );
    });
  },
);
