// Random bytes from a block: of the requested size, and never twice.

import t from 'tap';
import { randomBytes } from '../../src/crypto/random.js';

t.test('pieces have their size, also at the end of a block and beyond it', async (t) => {
  for (const size of [0, 1, 16, 46, 4095, 4096, 4097, 10_000]) {
    for (let round = 0; round < 3; round++) t.equal(randomBytes(size).length, size);
  }
});

t.test('no two pieces share a byte of memory, and none changes later', async (t) => {
  const pieces = Array.from({ length: 2000 }, () => randomBytes(16));
  const before = pieces.map((piece) => piece.toString('hex'));
  randomBytes(4096);
  t.strictSame(
    pieces.map((piece) => piece.toString('hex')),
    before,
  );
  t.equal(new Set(before).size, pieces.length);
  for (const piece of pieces) piece.fill(0xff);
  t.not(randomBytes(16).toString('hex'), 'f'.repeat(32));
});

t.test('every byte value occurs equally often', async (t) => {
  const counts = new Uint32Array(256);
  const rounds = 40_000;
  for (let round = 0; round < rounds; round++) for (const byte of randomBytes(32)) counts[byte]!++;
  const expected = (rounds * 32) / 256;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 255 degrees of freedom: less than one run in a thousand million exceeds this.
  t.ok(chiSquare < 430, `chi-square ${chiSquare.toFixed(0)}`);
});
