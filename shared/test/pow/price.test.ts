// Prices: of the next attempt, of issued work, by load; and the lifetime of work.

import fc from 'fast-check';
import t from 'tap';
import { lifetimeSeconds } from '../../src/pow/lifetime.js';
import {
  FALL_MS,
  FULL_LOAD,
  HOLD_LOAD,
  type LoadState,
  levelAt,
  levelBits,
  loadLevels,
  NO_LOAD,
  nextLoadState,
  RISE_LOAD,
  RISE_MS,
} from '../../src/pow/load.js';
import { type PriceTerms, priceOf } from '../../src/pow/price.js';
import { type IssuedWork, requiredDifficulty, suffices } from '../../src/pow/sufficiency.js';

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

// Sufficiency of issued work: examples and properties.

const DEFAULT_TERMS = { ceiling: 24, failureStep: 2, grace: 2 };
const work = (difficulty: number, scoped: boolean, floor = 16): IssuedWork => ({ difficulty, floor, scoped });

const anyTerms = fc.record({
  ceiling: fc.integer({ min: 16, max: 24 }),
  failureStep: fc.nat(8),
  grace: fc.nat(10),
});
const anyWork = fc
  .tuple(fc.integer({ min: 16, max: 24 }), fc.nat(8), fc.boolean())
  .map(([floor, more, scoped]) => ({ floor, difficulty: Math.min(24, floor + more), scoped }));

t.test('the required difficulty, by failures', async (t) => {
  const table = [
    [0, 0, 0],
    [1, 18, 0],
    [2, 20, 0],
    [3, 22, 18],
    [4, 24, 20],
    [5, 24, 22],
    [6, 24, 24],
    [100, 24, 24],
  ] as const;
  for (const [failures, plain, scoped] of table) {
    t.equal(
      requiredDifficulty(work(16, false), failures, DEFAULT_TERMS),
      plain,
      `${failures} failures, unscoped`,
    );
    t.equal(
      requiredDifficulty(work(16, true), failures, DEFAULT_TERMS),
      scoped,
      `${failures} failures, scoped`,
    );
  }
});

t.test('stockpiling: cheap work without a ticket is rejected after the first failure', async (t) => {
  t.equal(suffices(work(16, false), 0, DEFAULT_TERMS), true);
  t.equal(suffices(work(16, false), 1, DEFAULT_TERMS), false);
  t.equal(suffices(work(18, false), 1, DEFAULT_TERMS), true);
});

t.test('stockpiling: work prefetched under a ticket at zero failures is rejected after five', async (t) => {
  t.equal(suffices(work(16, true), 2, DEFAULT_TERMS), true);
  for (const failures of [3, 4, 5, 50])
    t.equal(suffices(work(16, true), failures, DEFAULT_TERMS), false, `${failures}`);
});

t.test('work at the ceiling always suffices', async (t) => {
  fc.assert(
    fc.property(anyTerms, fc.boolean(), fc.nat(200), (some, scoped, failures) =>
      suffices({ difficulty: some.ceiling, floor: 16, scoped }, failures, some),
    ),
  );
  t.pass();
});

t.test('more failures never make work sufficient, a ticket never makes it insufficient', async (t) => {
  fc.assert(
    fc.property(anyWork, fc.nat(120), fc.nat(20), anyTerms, (given, failures, more, some) => {
      const demanded = requiredDifficulty(given, failures, some);
      t.ok(requiredDifficulty(given, failures + more, some) >= demanded);
      t.ok(requiredDifficulty({ ...given, scoped: true }, failures, some) <= demanded);
      t.ok(demanded <= some.ceiling);
    }),
  );
});

t.test('work issued under the ticket at the price of its time is accepted during the grace', async (t) => {
  fc.assert(
    fc.property(anyTerms, fc.nat(50), fc.nat(10), (some, then, since) => {
      const difficulty = Math.min(some.ceiling, 16 + some.failureStep * then);
      const given = { difficulty, floor: 16, scoped: true };
      if (since <= some.grace) t.ok(suffices(given, then + since, some));
    }),
  );
});

t.test('raising the floor invalidates nothing: the record keeps the floor of its time', async (t) => {
  t.equal(suffices(work(18, false, 16), 1, DEFAULT_TERMS), true);
  t.equal(suffices(work(18, false, 18), 1, DEFAULT_TERMS), false);
});

t.test('a step of zero never makes work insufficient', async (t) => {
  fc.assert(
    fc.property(anyWork, fc.nat(200), anyTerms, (given, failures, some) =>
      suffices(given, failures, { ...some, ceiling: 24, failureStep: 0 }),
    ),
  );
  t.pass();
});

// The lifetime of work.

t.test('work lives 120 s up to 23 bits and 232 s at 24', async (t) => {
  for (const bits of [1, 16, 18, 20, 22, 23]) t.equal(lifetimeSeconds(bits, 120, true), 120, `${bits} bits`);
  t.equal(lifetimeSeconds(24, 120, true), 232);
});

t.test('a longer configured lifetime is not shortened, and without growth it is the only one', async (t) => {
  t.equal(lifetimeSeconds(24, 300, true), 300);
  t.equal(lifetimeSeconds(23, 60, true), 116);
  for (const bits of [16, 24]) t.equal(lifetimeSeconds(bits, 120, false), 120);
});

t.test('a lifetime is a whole number of seconds and never falls when the difficulty rises', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.nat(27), fc.integer({ min: 1, max: 86_400 }), fc.boolean(), (bits, expire, grows) => {
        const seconds = lifetimeSeconds(bits, expire, grows);
        return (
          Number.isInteger(seconds) &&
          seconds >= expire &&
          lifetimeSeconds(bits + 1, expire, grows) >= seconds
        );
      }),
    ),
  );
});

// Prices by load: rise, hold and fall of the level.

const START_MS = 1_700_000_000_000;
const LEVELS = 3;

/** Applies one load value per second, starting from a state. */
function follow(loads: readonly number[], from: LoadState = NO_LOAD, startMs = START_MS): LoadState {
  return loads.reduce((state, load, at) => nextLoadState(state, load, startMs + at * 1000, LEVELS), from);
}

const seconds = (count: number, load: number) => Array<number>(count).fill(load);
const RISE_S = RISE_MS / 1000;

t.test('a lasting load raises the level, one step at a time, up to the last', async (t) => {
  t.equal(follow(seconds(RISE_S, FULL_LOAD)).level, 0);
  for (const level of [1, 2, 3]) {
    const loads = seconds(RISE_S * level + 1, FULL_LOAD);
    t.equal(follow(loads).level, level);
    t.equal(follow(loads.slice(0, -1)).level, level - 1);
  }
  t.equal(follow(seconds(100, FULL_LOAD)).level, LEVELS);
  t.equal(follow(seconds(RISE_S + 1, RISE_LOAD)).level, 1, 'the least load that raises it');
  t.equal(nextLoadState(NO_LOAD, FULL_LOAD, START_MS, 0).level, 0, 'without levels there is none');
});

t.test('an interrupted load, or one within capacity, raises nothing', async (t) => {
  const interrupted = Array.from({ length: 60 }, (_, at) => (at % RISE_S === 0 ? 0 : FULL_LOAD));
  t.equal(follow(interrupted).level, 0);
  t.equal(follow(seconds(60, RISE_LOAD - 0.01)).level, 0);
});

t.test('the level stays while the load is high enough, and falls by itself afterwards', async (t) => {
  const top = follow(seconds(10, FULL_LOAD));
  t.equal(top.level, LEVELS);
  const held = follow(seconds(600, HOLD_LOAD), top, START_MS + 10_000);
  t.equal(levelAt(held, START_MS + 609_000), LEVELS);
  const lastMs = top.heldMs;
  for (let level = LEVELS; level >= 0; level--) {
    const fallen = LEVELS - level;
    t.equal(levelAt(top, lastMs + fallen * FALL_MS), level);
    if (level > 0) t.equal(levelAt(top, lastMs + (fallen + 1) * FALL_MS - 1), level);
  }
  t.equal(levelAt(top, lastMs + 1e12), 0);
  t.strictSame(follow(seconds(100, 0), top), { ...top, overMs: 0 }, 'nobody has to write for it');
});

t.test('a fallen level rises from its current value', async (t) => {
  const top = follow(seconds(10, FULL_LOAD));
  const laterMs = top.heldMs + FALL_MS;
  t.equal(levelAt(top, laterMs), LEVELS - 1);
  const again = follow(seconds(RISE_S + 1, FULL_LOAD), { ...top, overMs: 0 }, laterMs);
  t.equal(again.level, LEVELS);
});

t.test('a state in the future, as after a clock set back, keeps no level', async (t) => {
  const state = { level: 2, heldMs: START_MS + 86_400_000, overMs: START_MS + 86_400_000 };
  t.equal(levelAt(state, START_MS), 0);
  t.equal(follow(seconds(RISE_S, FULL_LOAD), state).level, 0);
  t.equal(follow(seconds(RISE_S + 1, FULL_LOAD), state).level, 1, 'and delays no rise');
});

t.test('for any loads the level stays within its bounds and moves by one', async (t) => {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647) * FULL_LOAD;
  };
  let state = NO_LOAD;
  for (let at = 0; at < 20_000; at++) {
    const nowMs = START_MS + at * 1000;
    const before = levelAt(state, nowMs);
    state = nextLoadState(state, next(), nowMs, LEVELS);
    const level = levelAt(state, nowMs);
    if (level < 0 || level > LEVELS || Math.abs(level - before) > 1) t.fail(`${before} to ${level} at ${at}`);
  }
});

t.test('the bits of a level', async (t) => {
  const levels = loadLevels('2,4,6');
  t.strictSame(levels, [2, 4, 6]);
  t.strictSame(
    [-1, 0, 1, 2, 3, 4, 99].map((level) => levelBits(levels, level)),
    [0, 0, 2, 4, 6, 6, 6],
  );
  t.strictSame(loadLevels(undefined), []);
  t.equal(levelBits([], 3), 0);
});
