// The spelling of an address that counts.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import { accountKey } from '../../../src/challenges/attempts/normalise.js';

t.test('case, width and surrounding space make no difference', async (t) => {
  for (const email of [
    'ada@example.com',
    ' ADA@Example.COM\t',
    'ａｄａ@example.com',
    '\u00a0ada@example.com',
  ]) {
    t.equal(accountKey(email), 'ada@example.com');
  }
  t.equal(accountKey('e\u0301@x.org'), accountKey('\u00c9@x.org'));
});

t.test('what makes another address stays', async (t) => {
  t.equal(accountKey('a.da+tag@example.com'), 'a.da+tag@example.com');
  t.not(accountKey('а@example.com'), accountKey('a@example.com'), 'a Cyrillic letter is another letter');
});

t.test('a key is its own key', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (email) => {
      const key = accountKey(email);
      t.equal(accountKey(key), key);
    }),
    { numRuns: 2000 },
  );
});
