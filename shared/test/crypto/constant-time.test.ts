// Comparison of secrets.

import fc from 'fast-check';
import t from 'tap';
import { equalBytes, equalText } from '../../src/crypto/constant-time.js';

t.test('texts are equal when their UTF-8 bytes are, whatever their lengths', async (t) => {
  t.ok(equalText('', ''));
  t.ok(equalText('é', '\u00e9'));
  t.notOk(equalText('é', 'e\u0301'));
  t.notOk(equalText('a', 'aa'));
  t.notOk(equalText('', 'a'));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => equalText(a, b) === (a === b) && equalText(a, a)),
    ),
  );
});

t.test('bytes of different length are unequal and throw nothing', async (t) => {
  t.ok(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2)));
  t.notOk(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3)));
  t.notOk(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0)));
  t.notOk(equalBytes(new Uint8Array(), Uint8Array.of(0)));
});
