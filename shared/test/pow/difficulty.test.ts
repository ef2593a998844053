// Leading zero bits, and the difficulty of a nonce.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { leadingZeroBits, solves } from '../../src/pow/difficulty.js';

/** The same with one big number: its missing leading digits. */
function reference(digest: Uint8Array): number {
  const number = BigInt(`0x0${Buffer.from(digest).toString('hex')}`);
  return number === 0n ? digest.length * 8 : digest.length * 8 - number.toString(2).length;
}

const sha256 = (text: string) => createHash('sha256').update(text, 'ascii').digest('binary');

const zeroBits = (digest: Uint8Array) => leadingZeroBits(Buffer.from(digest).toString('latin1'));

t.test('zero bits are counted from the most significant bit of the first byte', async (t) => {
  t.equal(zeroBits(Uint8Array.of(0x80)), 0);
  t.equal(zeroBits(Uint8Array.of(0x01)), 7);
  t.equal(zeroBits(Uint8Array.of(0x00, 0x80)), 8);
  t.equal(zeroBits(Uint8Array.of(0x00, 0x00, 0x10)), 19);
  t.equal(zeroBits(new Uint8Array(32)), 256);
  t.equal(zeroBits(new Uint8Array()), 0);
});

t.test('the count equals that of big-integer arithmetic', async (t) => {
  const zeros = fc.nat(4).map((length) => new Uint8Array(length));
  const digest = fc
    .tuple(zeros, fc.uint8Array({ minLength: 1, maxLength: 32 }))
    .map(([head, tail]) => Buffer.concat([head, tail]));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(digest, (bytes) => zeroBits(bytes) === reference(bytes)),
      { numRuns: 2000 },
    ),
  );
});

t.test('a nonce solves up to the difficulty of its digest, and no higher', async (t) => {
  const salt = '00112233445566778899aabbccddeeff';
  for (let nonce = 0; nonce < 300; nonce++) {
    const bits = reference(Buffer.from(sha256(salt + nonce), 'latin1'));
    t.ok(solves(sha256, salt, String(nonce), bits));
    t.notOk(solves(sha256, salt, String(nonce), bits + 1));
  }
});
