// The price of the next attempt.

import fc from 'fast-check';
import t from 'tap';
import { type PriceTerms, priceOf } from '../../src/pow/price.js';

const DEFAULTS: PriceTerms = { floor: 16, ceiling: 24, failureStep: 2, volumeStep: 2, volumeEvery: 20 };

const terms = fc.record({
  floor: fc.integer({ min: 1, max: 24 }),
  ceiling: fc.integer({ min: 1, max: 24 }),
  failureStep: fc.nat(8),
  volumeStep: fc.nat(8),
  volumeEvery: fc.integer({ min: 1, max: 100 }),
});
const count = fc.nat(1000);

t.test("failures cost as much as in the specification's table", async (t) => {
  for (const [failures, bits] of [
    [0, 16],
    [1, 18],
    [2, 20],
    [3, 22],
    [4, 24],
    [5, 24],
    [100, 24],
  ] as const) {
    t.equal(priceOf(DEFAULTS, failures, 1), bits, `${failures} failures`);
  }
});

t.test('each 20th request raises the price, including that request', async (t) => {
  for (const [requests, bits] of [
    [1, 16],
    [19, 16],
    [20, 18],
    [39, 18],
    [40, 20],
    [60, 22],
    [80, 24],
    [1000, 24],
  ] as const) {
    t.equal(priceOf(DEFAULTS, 0, requests), bits, `${requests} requests`);
  }
  t.equal(priceOf(DEFAULTS, 1, 20), 20);
});

t.test(
  'the price never falls when failures or requests rise, and stays between floor and ceiling',
  async (t) => {
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(
          terms,
          count,
          count,
          count,
          count,
          (some, failures, requests, moreFailures, moreRequests) => {
            const price = priceOf(some, failures, requests);
            const higher = priceOf(some, failures + moreFailures, requests + moreRequests);
            return higher >= price && price >= Math.min(some.floor, some.ceiling) && higher <= some.ceiling;
          },
        ),
        { numRuns: 1000 },
      ),
    );
  },
);

t.test('with steps of zero the price is the floor', async (t) => {
  t.equal(priceOf({ ...DEFAULTS, failureStep: 0, volumeStep: 0 }, 50, 5000), 16);
});
