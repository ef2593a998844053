// Compares a request's secret with the configured one.

import fc from 'fast-check';
import t from 'tap';
import { matcherOf } from '../../src/crypto/constant-time.js';

t.test('only the secret matches', async (t) => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (secret, presented) => {
      t.equal(matcherOf(secret)(presented), secret === presented);
      t.equal(matcherOf(secret)(secret), true);
    }),
    { numRuns: 50 },
  );
  const matches = matcherOf('the secret');
  for (const near of ['', 'the secre', 'the secret ', 'The secret', 'the secret\0']) t.notOk(matches(near));
});
