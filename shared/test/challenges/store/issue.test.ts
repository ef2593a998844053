// Issuing challenges: limits, price by volume, lifetimes, records, IPv6 networks.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import {
  addressPseudonym,
  addressPseudonyms,
  normaliseAddress,
  slotTag,
  widerNetworks,
} from '../../../src/challenges/attempts/pseudonyms.js';
import type { Issued } from '../../../src/challenges/store/challenge-store.js';
import { challengeKeys, parsePowRecord, parseVerifiedRecord } from '../../../src/challenges/store/records.js';
import { lifetimeSeconds } from '../../../src/pow/lifetime.js';
import { priceOf } from '../../../src/pow/price.js';
import {
  address,
  challengesOn,
  DECAY_MS,
  effortIssue,
  imageIssue,
  MINUTE_MS,
  newClaim,
  otherAddress,
  powIssue,
  ring,
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

// The Lua script computes the same price and lifetime as the pure functions.

t.test('on any terms the script and the browser compute the same price and lifetime', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  const { volume, price } = challengeKeys('captcha', slotTag);
  const terms = fc.record({
    floor: fc.integer({ min: 1, max: 24 }),
    ceiling: fc.integer({ min: 1, max: 24 }),
    failureStep: fc.nat(8),
    volumeStep: fc.nat(8),
    volumeEvery: fc.integer({ min: 1, max: 50 }),
  });
  const seconds = fc.integer({ min: 1, max: 86_400 });
  let round = 0;
  const holds = fc.asyncProperty(
    terms,
    fc.nat(100),
    fc.integer({ min: 1, max: 2000 }),
    seconds,
    fc.boolean(),
    fc.option(fc.integer({ min: 1, max: 24 })),
    fc.boolean(),
    async (some, failures, requests, expireSeconds, expireGrows, remembered, hasTicket) => {
      const address = addressPseudonym(ring.current, `address ${round++}`);
      const issue = powIssue({ address, terms: some, failures, hasTicket, expireSeconds, expireGrows });
      if (remembered !== null) await redis.client.set(price(address), remembered, 'PX', DECAY_MS);
      if (requests > 1) await redis.client.set(volume(address), requests - 1, 'PX', DECAY_MS);
      const issued = await challenges.issuePow(issue);
      const plain = priceOf(some, failures, requests);
      const difficulty = hasTicket ? plain : Math.max(plain, remembered ?? 0);
      return (
        issued.allowed &&
        issued.difficulty === difficulty &&
        issued.lifetimeSeconds === lifetimeSeconds(difficulty, expireSeconds, expireGrows)
      );
    },
  );
  await t.resolves(fc.assert(holds, { numRuns: 300 }));
});

// IPv6 networks: the 700 /64 networks of one customer filled a store with challenges.

const namesOf = (ip: string) => addressPseudonyms(ring.current, normaliseAddress(ip) ?? '');
/** The nth /64 of a /56, and the nth /56 of a /48. */
const inside56 = (n: number) => `2001:db8:1:${(0x1200 + n).toString(16)}::7`;
const inside48 = (n: number) => `2001:db8:1:${(n << 8).toString(16)}::7`;

t.test('an address has its /56 and its /48 network; all share a slot', async (t) => {
  t.strictSame(widerNetworks(normaliseAddress('2001:db8:1:12ff::1') ?? ''), [
    '2001:db8:1:1200::/56',
    '2001:db8:1::/48',
  ]);
  t.strictSame(widerNetworks('203.0.113.7'), [], 'an IPv4 address has none');
  t.strictSame(widerNetworks('unknown'), []);
  const [one, other, stranger] = [namesOf(inside56(1)), namesOf(inside48(9)), namesOf('2001:db8:2::1')];
  t.not(one.address, other.address);
  t.not(one.networks[0], other.networks[0]);
  t.equal(one.networks[1], other.networks[1]);
  t.not(one.networks[1], stranger.networks[1]);
  const tags = [one.address, other.address, ...one.networks, ...other.networks].map(slotTag);
  t.equal(new Set(tags).size, 1);
  for (const name of [one.address, ...one.networks]) t.match(name, /^[0-9a-f]{32}$/);
});

t.test('more addresses give a customer no more challenges', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const limit = { max: 3, windowMs: MINUTE_MS, networkMax: [5, 8] } as const;
    const kinds = {
      work: (ip: string) => challenges.issuePow(powIssue({ ...asked(ip), limit })),
      image: (ip: string) => challenges.issueImage(imageIssue({ ...asked(ip), limit })),
    };
    for (const [what, issue] of Object.entries(kinds)) {
      const allowed = async (ips: string[]) => {
        const answers = [];
        for (const ip of ips) answers.push(await issue(ip));
        return answers.map((answer) => answer.allowed);
      };
      const first = await allowed([1, 1, 1, 1].map(inside56));
      t.strictSame(first, [true, true, true, false], `${what}: the address itself`);
      t.strictSame(await allowed([2, 3, 4, 5].map(inside56)), [true, true, false, false], `${what}: its /56`);
      const wider = await allowed([1, 2, 3, 4].map((n) => inside48(n)));
      t.strictSame(wider, [true, true, true, false], `${what}: its /48, without what its /56 refused`);
      t.strictSame(await allowed(['2001:db8:2::1', '203.0.113.7']), [true, true], `${what}: nobody else`);
      const refused = await issue(inside48(9));
      t.ok(refused.limit.count > limit.max && refused.limit.ttlMs > 0, `${what}: the answer says until when`);
    }
  });
});

t.test(
  'effort counts towards the image limit, and raises the price of its address as work does',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const challenges = challengesOn(store);
      const terms = { floor: 16, ceiling: 24, failureStep: 2, volumeStep: 2, volumeEvery: 2 };
      const bits = [];
      for (let n = 0; n < 6; n++) {
        const issued = await challenges.issueEffort(effortIssue({ ...asked('203.0.113.9'), terms }));
        if (issued.allowed) bits.push(issued.difficulty);
      }
      t.strictSame(
        bits,
        [16, 18, 18, 20, 20, 22].map((price) => Math.max(price + 4, 22) - 4),
      );
      const work = await challenges.issuePow(powIssue({ ...asked('203.0.113.9'), terms }));
      t.match(work, { difficulty: 22 }, 'one count for both');

      const limit = { max: 1, windowMs: MINUTE_MS };
      const elsewhere = asked('203.0.113.10');
      t.equal((await challenges.issueImage(imageIssue({ ...elsewhere, limit }))).allowed, true);
      t.equal((await challenges.issueEffort(effortIssue({ ...elsewhere, limit }))).allowed, false);
    });
  },
);

t.test('effort without a ticket costs the price remembered for its address, as work does', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const client = asked('203.0.113.11');
    await challenges.rememberPrice(client.address, 22, MINUTE_MS);
    const issued = (hasTicket: boolean) => challenges.issueEffort(effortIssue({ ...client, hasTicket }));
    t.match(await issued(false), { difficulty: 22 });
    t.match(await issued(true), { difficulty: 18 });
  });
});

t.test('the lifetime of effort follows its price', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const terms = { floor: 16, ceiling: 24, failureStep: 2, volumeStep: 0, volumeEvery: 20 };
    for (const [failures, parts, seconds] of [
      [0, 18, 120],
      [2, 20, 120],
      [4, 24, 1053],
      [9, 24, 1053],
    ] as const) {
      const issued = await challenges.issueEffort(effortIssue({ terms, failures }));
      t.match(issued, { difficulty: parts, lifetimeSeconds: seconds }, `${failures} failures`);
    }
  });
});

/** An address as passed to the store. */
function asked(ip: string) {
  const { address, networks } = namesOf(ip);
  return { address: address, networks };
}
