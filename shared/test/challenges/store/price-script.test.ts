// The Lua script computes the same price and lifetime as the pure functions.

import { redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import { addressPseudonym, slotTag } from '../../../src/challenges/attempts/pseudonyms.js';
import { challengeKeys } from '../../../src/challenges/store/records.js';
import { lifetimeSeconds } from '../../../src/pow/lifetime.js';
import { priceOf } from '../../../src/pow/price.js';
import { challengesOn, DECAY_MS, powIssue, ring } from '../fixtures.js';

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
