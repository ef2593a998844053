// Sufficiency of issued work: examples and properties.

import fc from 'fast-check';
import t from 'tap';
import { type IssuedWork, requiredDifficulty, suffices } from '../../src/pow/sufficiency.js';

const terms = { ceiling: 24, failureStep: 2, grace: 2 };
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
    t.equal(requiredDifficulty(work(16, false), failures, terms), plain, `${failures} failures, unscoped`);
    t.equal(requiredDifficulty(work(16, true), failures, terms), scoped, `${failures} failures, scoped`);
  }
});

t.test('stockpiling: cheap work without a ticket is rejected after the first failure', async (t) => {
  t.equal(suffices(work(16, false), 0, terms), true);
  t.equal(suffices(work(16, false), 1, terms), false);
  t.equal(suffices(work(18, false), 1, terms), true);
});

t.test('stockpiling: work prefetched under a ticket at zero failures is rejected after five', async (t) => {
  t.equal(suffices(work(16, true), 2, terms), true);
  for (const failures of [3, 4, 5, 50])
    t.equal(suffices(work(16, true), failures, terms), false, `${failures}`);
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
  t.equal(suffices(work(18, false, 16), 1, terms), true);
  t.equal(suffices(work(18, false, 18), 1, terms), false);
});

t.test('a step of zero never makes work insufficient', async (t) => {
  fc.assert(
    fc.property(anyWork, fc.nat(200), anyTerms, (given, failures, some) =>
      suffices(given, failures, { ...some, ceiling: 24, failureStep: 0 }),
    ),
  );
  t.pass();
});
