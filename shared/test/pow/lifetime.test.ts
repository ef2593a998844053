// The lifetime of work.

import fc from 'fast-check';
import t from 'tap';
import { lifetimeSeconds } from '../../src/pow/lifetime.js';

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
