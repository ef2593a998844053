// Random bytes and texts.

import t from 'tap';
import { ALPHANUMERICS, randomAlphanumerics, randomBytes, randomHex } from '../../src/crypto/random.js';

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

// Random texts: alphabet, length and a uniform distribution.

/** Seeded bytes of a 32-bit generator (mulberry32), so that a run is reproducible. */
function seededBytes(seed: number): (size: number) => Uint8Array {
  let state = seed;
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return (mixed ^ (mixed >>> 14)) >>> 24;
    });
}

function countsOf(text: string): number[] {
  const counts = new Map([...ALPHANUMERICS].map((character) => [character, 0]));
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()];
}

t.test('a text has the requested length and consists of letters and digits', async (t) => {
  for (const length of [0, 1, 22, 38, 1000]) {
    const text = randomAlphanumerics(length);
    t.equal(text.length, length);
    t.match(text, /^[A-Za-z0-9]*$/);
  }
  t.equal(new Set(Array.from({ length: 1000 }, () => randomAlphanumerics(22))).size, 1000);
});

t.test('texts from one block differ, and a text longer than a block is as uniform', async (t) => {
  const texts = Array.from({ length: 1000 }, () => randomAlphanumerics(38));
  t.equal(new Set(texts.flatMap((text) => [text.slice(0, 19), text.slice(19)])).size, 2000);
  const chiSquare = countsOf(randomAlphanumerics(62 * 5000)).reduce(
    (sum, count) => sum + (count - 5000) ** 2 / 5000,
    0,
  );
  // 61 degrees of freedom: less than one run in a thousand million exceeds this.
  t.ok(chiSquare < 145, `chi-square ${chiSquare}`);
});

t.test('hexadecimal digits encode the bytes of the source, and differ each time', async (t) => {
  t.equal(
    randomHex(3, () => Uint8Array.of(0, 15, 255)),
    '000fff',
  );
  for (const size of [0, 1, 16, 4096, 5000]) t.match(randomHex(size), new RegExp(`^[0-9a-f]{${size * 2}}$`));
  t.equal(new Set(Array.from({ length: 1000 }, () => randomHex(16))).size, 1000);
});

t.test(
  'over all byte values each character occurs equally often, and bytes from 248 on are skipped',
  async (t) => {
    let next = 0;
    const everyByte = (size: number) => Uint8Array.from({ length: size }, () => next++ & 255);
    t.strictSame(countsOf(randomAlphanumerics(248 * 10, everyByte)), Array(62).fill(40));

    let turn = 0;
    const mostlyUnfair = (size: number) =>
      new Uint8Array(size).fill(turn++ % 2 === 0 ? 248 + (turn % 8) : 247);
    t.equal(randomAlphanumerics(38, mostlyUnfair), 'z'.repeat(38));
  },
);

t.test('characters from a random source are uniform (chi-square, 61 degrees of freedom)', async (t) => {
  const length = 62 * 5000;
  const chiSquare = countsOf(randomAlphanumerics(length, seededBytes(20_260_810))).reduce(
    (sum, count) => sum + (count - 5000) ** 2 / 5000,
    0,
  );
  // The 0.1 % and 99.9 % points of the distribution.
  t.ok(chiSquare > 32.5 && chiSquare < 100.9, `chi-square ${chiSquare}`);
});
