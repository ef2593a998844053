// Attempts of an account on every store: failures, open attempts, and delays of account and address pairs.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  type Attempt,
  MAX_ATTEMPTS,
  MOST_ENTRIES,
  withAttempt,
} from '../../../src/challenges/attempts/attempts.js';
import type { ChallengeStore } from '../../../src/challenges/store/challenge-store.js';
import {
  account,
  address,
  challengesOn,
  DECAY_MS,
  MINUTE_MS,
  newClaim,
  otherAddress,
  powIssue,
} from '../fixtures.js';

const OTHER_ACCOUNT = 'f'.repeat(32);

/** Counts attempts sequentially, without an address, and returns the failures before each. */
async function countTries(challenges: ChallengeStore, times: number, decayMs = DECAY_MS): Promise<number[]> {
  const before: number[] = [];
  for (let i = 0; i < times; i++) {
    before.push((await challenges.countAttempt({ account, claim: newClaim(), decayMs })).failures);
  }
  return before;
}

async function failuresOf(challenges: ChallengeStore, name = account, decayMs = DECAY_MS): Promise<number> {
  return (await challenges.attemptStatus(name, undefined, decayMs)).failures;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

t.test('each attempt returns the previous failures, and other accounts are not affected', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    t.equal(await failuresOf(challenges), 0);
    t.strictSame(await countTries(challenges, 5), upTo(5));
    t.equal(await failuresOf(challenges), 5);
    t.equal(await failuresOf(challenges), 5, 'asking counts nothing');
    t.equal(await failuresOf(challenges, OTHER_ACCOUNT), 0);
  });
});

t.test('each failure is forgotten individually, one decay after it happened', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    await countTries(challenges, 2);
    await age(600_000);
    await countTries(challenges, 1);
    await age(299_000);
    t.equal(await failuresOf(challenges), 3);
    await age(1000);
    t.equal(await failuresOf(challenges), 1);
    t.strictSame(await countTries(challenges, 1), [1]);
    await age(599_000);
    t.equal(await failuresOf(challenges), 2);
    await age(1000);
    t.equal(await failuresOf(challenges), 1);
    await age(300_000);
    t.equal(await failuresOf(challenges), 0);
  });
});

t.test('the newest 100 failures are remembered', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    t.strictSame(await countTries(challenges, 60), upTo(60));
    await age(500_000);
    t.strictSame(await countTries(challenges, 60), [...upTo(100).slice(60), ...Array(20).fill(100)]);
    t.equal(await failuresOf(challenges), 100);
    await age(400_000);
    t.equal(await failuresOf(challenges), 60, 'the old ones made room');
  });
});

t.test('parallel guesses all return different counts: at most two are below two', async (t) => {
  await eachStore(t, async (t, { store, reopen, kind }) => {
    const here = challengesOn(store);
    const there = kind === 'redis' ? challengesOn(await reopen()) : here;
    const countOne = (i: number) =>
      (i % 2 === 0 ? here : there).countAttempt({ account, claim: newClaim(), decayMs: DECAY_MS });
    const counted = await Promise.all(upTo(200).map(countOne));
    const before = counted.map(({ failures }) => failures).sort((a, b) => a - b);
    t.strictSame(before, [...upTo(100), ...Array(100).fill(100)]);
  });
});

t.test('parallel guesses that will be rejected displace no failure', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const guess = () =>
      challenges.countAttempt({ account, claim: newClaim(), decayMs: DECAY_MS, refusedFrom: 2 });
    const told = await Promise.all(Array.from({ length: 250 }, guess));
    t.equal(told.filter(({ failures }) => failures < 2).length, 2);
    t.equal((await challenges.attemptStatus(account, undefined, DECAY_MS)).failures, 2);
    t.strictSame(await guess(), { failures: 2, waitMs: 0 });
  });
});

t.test('a repeated attempt with the same claim is counted once and returns the same count', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    await countTries(challenges, 2);
    const tried = { account, address, claim: newClaim(), decayMs: DECAY_MS };
    for (let i = 0; i < 3; i++)
      t.strictSame(await challenges.countAttempt(tried), { failures: 2, waitMs: 0 });
    t.equal(await failuresOf(challenges), 3);
  });
});

t.test('a withdrawn attempt does not count; the others do', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const claim = newClaim();
    await countTries(challenges, 1);
    await challenges.countAttempt({ account, address, claim, decayMs: DECAY_MS });
    await countTries(challenges, 1);
    await challenges.withdrawAttempt(account, address, newClaim());
    t.equal(await failuresOf(challenges), 3, 'a claim that was never counted withdraws nothing');
    for (let i = 0; i < 2; i++) {
      await challenges.withdrawAttempt(account, address, claim);
      t.equal(await failuresOf(challenges), 2);
    }
    await challenges.withdrawAttempt(OTHER_ACCOUNT, undefined, claim);
    t.equal(await failuresOf(challenges, OTHER_ACCOUNT), 0);
  });
});

t.test('a withdrawal does not prolong the decay of other failures', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const claim = newClaim();
    await countTries(challenges, 1);
    await age(600_000);
    await challenges.countAttempt({ account, claim, decayMs: DECAY_MS });
    await challenges.withdrawAttempt(account, undefined, claim);
    t.equal(await failuresOf(challenges), 1);
    await age(300_000);
    t.equal(await failuresOf(challenges), 0);
  });
});

t.test('clearing forgets the failures of one account only', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    await countTries(challenges, 3);
    await challenges.countAttempt({ account: OTHER_ACCOUNT, claim: newClaim(), decayMs: DECAY_MS });
    await challenges.clearFailures(account, undefined);
    t.equal(await failuresOf(challenges), 0);
    t.equal(await failuresOf(challenges, OTHER_ACCOUNT), 1);
    await challenges.clearFailures(account, address);
    t.strictSame(await countTries(challenges, 1), [0]);
  });
});

t.test(
  'success with an own account does not keep the address cheap: its requests are forgotten once per decay',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const challenges = challengesOn(store);
      const prices = async (times: number, of = address) => {
        const asked: number[] = [];
        for (let i = 0; i < times; i++) {
          const issued = await challenges.issuePow(powIssue({ address: of }));
          if (issued.allowed) asked.push(issued.difficulty);
        }
        return asked;
      };
      const logIn = () => challenges.clearAddress(address, DECAY_MS);
      t.strictSame(await prices(19), Array(19).fill(8));
      await logIn();
      t.strictSame(await prices(19), Array(19).fill(8), 'the first login clears');
      await logIn();
      t.strictSame(await prices(21), [...Array(20).fill(10), 12], 'the second does not');
      t.strictSame(await prices(1, otherAddress), [8]);
      await age(DECAY_MS);
      t.strictSame(await prices(20), [...Array(19).fill(8), 10]);
      await logIn();
      t.strictSame(await prices(1), [8], 'after a decay it may be cleared again');
    });
  },
);

// Attempts without a known outcome: they count as failures, and do not displace real ones.

const open = (challenges: ChallengeStore, claims: readonly string[]) =>
  Promise.all(claims.map((claim) => challenges.countAttempt({ account, claim, decayMs: DECAY_MS })));

const claimsOf = (count: number) => Array.from({ length: count }, newClaim);

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

// Delays of account and address pairs: they grow, end, and affect no other pair.

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
