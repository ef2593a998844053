// Delays of account and address pairs: they grow, end, and affect no other pair.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import type { ChallengeStore } from '../../../src/challenges/store/challenge-store.js';
import { account, address, challengesOn, DECAY_MS, MINUTE_MS, newClaim, otherAddress } from '../fixtures.js';

const DAY_MS = 86_400_000;

const tryFrom = (challenges: ChallengeStore, from: string | undefined = address) =>
  challenges.countAttempt({ account, address: from, claim: newClaim(), decayMs: DECAY_MS });

async function failTimes(challenges: ChallengeStore, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await tryFrom(challenges);
}

t.test('from its 5th failure a pair is delayed 1, 2, 4, 8, then 15 minutes', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    for (let i = 0; i < 5; i++) t.equal((await tryFrom(challenges)).waitMs, 0, `try ${i + 1}`);
    for (const minutes of [1, 2, 4, 8, 15, 15, 15]) {
      const waitMs = minutes * MINUTE_MS;
      const refused = await tryFrom(challenges);
      t.ok(
        refused.waitMs > waitMs - 2000 && refused.waitMs <= waitMs,
        `${minutes} min: ${refused.waitMs} ms`,
      );
      const standing = await challenges.attemptStatus(account, address, DECAY_MS);
      t.ok(standing.waitMs > waitMs - 2000 && standing.waitMs <= waitMs);
      await age(waitMs - 5000);
      t.ok((await tryFrom(challenges)).waitMs > 0, 'five seconds too early');
      await age(5000);
      t.equal((await challenges.attemptStatus(account, address, DECAY_MS)).waitMs, 0);
      t.equal((await tryFrom(challenges)).waitMs, 0, 'in time');
    }
  });
});

t.test('a rejected attempt neither counts nor prolongs the delay', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    await failTimes(challenges, 5);
    await age(30_000);
    for (let i = 0; i < 20; i++) {
      const refused = await tryFrom(challenges);
      t.equal(refused.failures, 5);
      t.ok(refused.waitMs > 0 && refused.waitMs <= 30_000);
    }
    t.equal((await challenges.attemptStatus(account, address, DECAY_MS)).failures, 5);
    await age(30_000);
    t.strictSame(await tryFrom(challenges), { failures: 5, waitMs: 0 });
  });
});

t.test('at most five parallel attempts of one pair pass before the delay', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const counted = await Promise.all(Array.from({ length: 50 }, () => tryFrom(challenges)));
    t.equal(counted.filter(({ waitMs }) => waitMs === 0).length, 5);
    t.equal((await challenges.attemptStatus(account, address, DECAY_MS)).failures, 5);
  });
});

t.test('an attacker who never stops does not delay the owner at another address', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    await failTimes(challenges, 30);
    t.equal((await challenges.attemptStatus(account, otherAddress, DECAY_MS)).waitMs, 0);
    t.strictSame(await tryFrom(challenges, otherAddress), { failures: 5, waitMs: 0 });
    t.equal(
      (await challenges.attemptStatus('f'.repeat(32), address, DECAY_MS)).waitMs,
      0,
      'nor another account',
    );
    t.equal((await challenges.countAttempt({ account, claim: newClaim(), decayMs: DECAY_MS })).waitMs, 0);
  });
});

t.test('a pair is forgotten a day after its last failure, long after the account', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    await failTimes(challenges, 4);
    await age(DAY_MS - 60_000);
    t.strictSame(await challenges.attemptStatus(account, address, DECAY_MS), { failures: 0, waitMs: 0 });
    t.strictSame(await tryFrom(challenges), { failures: 0, waitMs: 0 }, 'the 5th failure');
    t.ok((await tryFrom(challenges)).waitMs > 0);
    await age(DAY_MS);
    await failTimes(challenges, 4);
    t.equal((await tryFrom(challenges)).waitMs, 0, 'counting has begun anew');
  });
});

t.test('a success clears the delay of its pair, and of no other', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    await failTimes(challenges, 5);
    for (let i = 0; i < 5; i++) await tryFrom(challenges, otherAddress);
    await challenges.clearFailures(account, address);
    t.strictSame(await challenges.attemptStatus(account, address, DECAY_MS), { failures: 0, waitMs: 0 });
    t.ok((await challenges.attemptStatus(account, otherAddress, DECAY_MS)).waitMs > 0);
  });
});

t.test('withdrawing an attempt ends the delay that it caused', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    await failTimes(challenges, 4);
    const claim = newClaim();
    await challenges.countAttempt({ account, address, claim, decayMs: DECAY_MS });
    t.ok((await challenges.attemptStatus(account, address, DECAY_MS)).waitMs > 0);
    await challenges.withdrawAttempt(account, address, claim);
    t.strictSame(await challenges.attemptStatus(account, address, DECAY_MS), { failures: 4, waitMs: 0 });
  });
});

t.test('a repeated attempt is not rejected because of its own delay', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    await failTimes(challenges, 4);
    const fifth = { account, address, claim: newClaim(), decayMs: DECAY_MS };
    t.strictSame(await challenges.countAttempt(fifth), { failures: 4, waitMs: 0 });
    t.strictSame(await challenges.countAttempt(fifth), { failures: 4, waitMs: 0 });
    t.ok((await tryFrom(challenges)).waitMs > 0);
  });
});
