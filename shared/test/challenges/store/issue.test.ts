// Issuing challenges: limits, price by volume, lifetimes, records.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import type { Issued } from '../../../src/challenges/store/challenge-store.js';
import { parsePowRecord, parseVerifiedRecord } from '../../../src/challenges/store/records.js';
import {
  address,
  challengesOn,
  DECAY_MS,
  imageIssue,
  MINUTE_MS,
  newClaim,
  otherAddress,
  powIssue,
  unpricedPow,
} from '../fixtures.js';

const difficultyOf = (issued: Issued) => (issued.allowed ? issued.difficulty : undefined);

t.test('issued work is read unchanged', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const pow = unpricedPow({ address });
    const issue = powIssue({}, {}, pow);
    const before = Date.now();
    const issued = await challenges.issuePow(issue);
    if (!issued.allowed) throw new Error('over the limit');
    t.strictSame(issued.limit, { count: 1, ttlMs: MINUTE_MS });
    t.equal(issued.difficulty, 8);
    t.equal(issued.lifetimeSeconds, 120);
    t.ok(issued.nowMs >= before - 1 && issued.nowMs <= Date.now() + 1);
    const taken = await challenges.take('pow', issue.token, newClaim());
    t.strictSame(parsePowRecord(taken?.record ?? ''), { difficulty: 8, issuedAtMs: issued.nowMs, ...pow });
  });
});

t.test('an issued captcha is read unchanged any number of times', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const issue = imageIssue({}, { address, fold: false });
    const issued = await challenges.issueImage(issue);
    if (!issued.allowed) throw new Error('over the limit');
    t.strictSame(issued.limit, { count: 1, ttlMs: MINUTE_MS });
    t.equal(issued.lifetimeSeconds, 120);
    for (let i = 0; i < 3; i++) {
      const line = await challenges.readImage(issue.token);
      t.equal(line, `${issued.nowMs} ${issue.recordTail}`);
      t.match(parseVerifiedRecord(line ?? ''), { verifiedBy: 'answer', type: 'text', address });
    }
  });
});

t.test('requests over the limit are rejected, store no record and raise no price', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const limit = { max: 3, windowMs: MINUTE_MS };
    const every = { volumeEvery: 4 };
    for (let count = 1; count <= 3; count++) {
      t.match(await challenges.issuePow(powIssue({ limit }, every)), { allowed: true, limit: { count } });
    }
    for (let count = 4; count <= 6; count++) {
      const refused = powIssue({ limit }, every);
      const answer = await challenges.issuePow(refused);
      t.equal(answer.allowed, false);
      t.equal(answer.limit.count, count);
      t.ok(answer.limit.ttlMs > 0 && answer.limit.ttlMs <= MINUTE_MS);
      t.equal(await challenges.take('pow', refused.token, newClaim()), null);
    }
    t.equal(
      difficultyOf(await challenges.issuePow(powIssue({}, every))),
      10,
      'it is the 4th that was allowed',
    );
  });
});

t.test('images have a separate limit, and do not raise the price of work', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const limit = { max: 2, windowMs: MINUTE_MS };
    t.equal((await challenges.issueImage(imageIssue({ limit }))).allowed, true);
    t.equal((await challenges.issueImage(imageIssue({ limit }))).allowed, true);
    const refused = imageIssue({ limit });
    t.match(await challenges.issueImage(refused), { allowed: false, limit: { count: 3 } });
    t.equal(await challenges.readImage(refused.token), null);
    t.equal((await challenges.issueImage(imageIssue({ limit, address: otherAddress }))).allowed, true);
    t.match(await challenges.issuePow(powIssue({ limit }, { volumeEvery: 2 })), {
      allowed: true,
      limit: { count: 1 },
      difficulty: 8,
    });
  });
});

t.test("a limit's window begins with the first request and is not prolonged", async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const limit = { max: 2, windowMs: MINUTE_MS };
    const both = () =>
      Promise.all([challenges.issuePow(powIssue({ limit })), challenges.issueImage(imageIssue({ limit }))]);
    await both();
    await age(30_000);
    await both();
    await age(20_000);
    for (const refused of await both()) {
      t.equal(refused.allowed, false);
      t.ok(refused.limit.ttlMs > 5000 && refused.limit.ttlMs <= 10_000, `${refused.limit.ttlMs} ms are left`);
    }
    await age(10_000);
    for (const again of await both())
      t.match(again, { allowed: true, limit: { count: 1, ttlMs: MINUTE_MS } });
  });
});

t.test(
  'every 20th request of an address costs more, including that one; other addresses are unaffected',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const challenges = challengesOn(store);
      const prices: (number | undefined)[] = [];
      for (let i = 0; i < 41; i++) prices.push(difficultyOf(await challenges.issuePow(powIssue())));
      t.strictSame(prices, [...Array(19).fill(8), ...Array(20).fill(10), 12, 12]);
      t.equal(difficultyOf(await challenges.issuePow(powIssue({ address: otherAddress }))), 8);
    });
  },
);

t.test('the price never exceeds the ceiling, and includes failures', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const terms = { floor: 16, volumeEvery: 1 };
    const price = async (failures: number) =>
      difficultyOf(await challenges.issuePow(powIssue({ failures }, terms)));
    t.equal(await price(1), 20);
    t.equal(await price(0), 20);
    t.equal(await price(1), 24);
    t.equal(await price(100), 24);
  });
});

t.test('requests are forgotten one decay after the first, regardless of later ones', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const price = async () => difficultyOf(await challenges.issuePow(powIssue({}, { volumeEvery: 2 })));
    t.equal(await price(), 8);
    await age(DECAY_MS - 20_000);
    t.equal(await price(), 10);
    t.equal(await price(), 10);
    await age(20_000);
    t.equal(await price(), 8);
  });
});

t.test('work has the stated lifetime, and harder work a longer one', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const hard = { floor: 24 };
    const easy = powIssue();
    const slow = powIssue({}, hard);
    const plain = powIssue({ expireGrows: false }, hard);
    t.match(await challenges.issuePow(easy), { lifetimeSeconds: 120 });
    t.match(await challenges.issuePow(slow), { difficulty: 24, lifetimeSeconds: 232 });
    t.match(await challenges.issuePow(plain), { difficulty: 24, lifetimeSeconds: 120 });
    t.match(await challenges.issuePow(powIssue({}, { floor: 23 })), { lifetimeSeconds: 120 });
    await age(120_000);
    t.equal(await challenges.take('pow', easy.token, newClaim()), null);
    t.equal(await challenges.take('pow', plain.token, newClaim()), null);
    await age(110_000);
    t.not(await challenges.take('pow', slow.token, newClaim()), null);
    await age(2000);
    t.equal(await challenges.take('pow', slow.token, newClaim()), null);
  });
});

t.test('a consumed, expired or unknown image cannot be read, and reading does not restore it', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const consumed = imageIssue();
    const old = imageIssue();
    await challenges.issueImage(consumed);
    await challenges.issueImage(old);
    await challenges.take('image', consumed.token, newClaim());
    for (let i = 0; i < 3; i++) t.equal(await challenges.readImage(consumed.token), null);
    t.equal(await challenges.take('image', consumed.token, newClaim()), null);
    t.equal(await challenges.readImage('A'.repeat(40)), null);
    const work = powIssue();
    await challenges.issuePow(work);
    t.equal(await challenges.readImage(work.token), null, 'work is no image');
    await age(119_000);
    t.not(await challenges.readImage(old.token), null);
    await age(1000);
    t.equal(await challenges.readImage(old.token), null);
    t.equal(await challenges.take('image', old.token, newClaim()), null);
  });
});
