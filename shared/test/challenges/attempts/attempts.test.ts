// An account's failures: counted, forgotten, withdrawn, cleared.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import type { ChallengeStore } from '../../../src/challenges/store/challenge-store.js';
import { account, address, challengesOn, DECAY_MS, newClaim, otherAddress, powIssue } from '../fixtures.js';

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
