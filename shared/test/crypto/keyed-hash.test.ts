// Keyed hashes of identifiers.

import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { keyedHash } from '../../src/crypto/key-ring.js';

const keyOf = (text: string) => createSecretKey(Buffer.from(text));

t.test('a keyed hash is HMAC-SHA256 truncated to 128 bits', async (t) => {
  // RFC 4231, test case 2.
  t.equal(
    keyedHash(keyOf('Jefe'), 'what do ya want for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c7',
  );
});

t.test('a zero byte separates two parts', async (t) => {
  // HMAC-SHA256(key, 'one' ‖ 0x00 ‖ 'two'), computed with Python's hmac.
  const key = keyOf('first-secret-of-32-characters-xx');
  t.equal(keyedHash(key, 'one', 'two').toString('hex'), '7bade2f0515b74431c1fc4ea5de86042');
});

t.test('a character moved from one part to the next gives another hash', async (t) => {
  const key = keyOf('key');
  const part = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(part, part, (a, b) => {
        const moved = keyedHash(key, a + b.slice(0, 1), b.slice(1));
        return !keyedHash(key, a, b).equals(moved) && !keyedHash(key, a + b).equals(keyedHash(key, a, b));
      }),
    ),
  );
});
