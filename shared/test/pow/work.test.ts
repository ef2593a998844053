// Work: leading zero bits, nonces, and effort.

import { createHash } from 'node:crypto';
import { EFFORT_SALT as salt, solveEffort } from '@tollgate/test-support/issuing.js';
import fc from 'fast-check';
import t from 'tap';
import { isNonce, leadingZeroBits, solves } from '../../src/pow/difficulty.js';
import {
  EFFORT_PARTS,
  effortBits,
  effortLifetimeSeconds,
  MAX_EFFORT_CHARACTERS,
  parseEffortAnswer,
  partDifficulty,
  solvesEffort,
  totalBits,
} from '../../src/pow/effort.js';

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

// The format of nonces.

t.test('a nonce is 1 to 24 decimal digits', async (t) => {
  const nonces = ['0', '1', '9', '10', '65535', '9007199254740993', '9'.repeat(24), `1${'0'.repeat(23)}`];
  for (const text of nonces) t.ok(isNonce(text), text);
});

t.test('everything else is not a nonce', async (t) => {
  const others: Record<string, string> = {
    empty: '',
    'a leading zero': '01',
    'two zeros': '00',
    '24 digits with a leading zero': `0${'1'.repeat(23)}`,
    '25 digits': '1'.repeat(25),
    'a very long number': '1'.repeat(100_000),
    'a plus sign': '+1',
    'a minus sign': '-1',
    'minus zero': '-0',
    'an exponent': '1e5',
    'a fraction': '1.0',
    hexadecimal: '0x1f',
    'a hexadecimal digit': 'a',
    'a big integer literal': '1n',
    'a digit separator': '1_000',
    'a comma': '1,000',
    'a space before': ' 1',
    'a space behind': '1 ',
    'a line break behind': '1\n',
    'a line break between': '1\n1',
    'a zero byte': '1\0',
    'Arabic-Indic digits': '\u0661\u0662',
    'Extended Arabic-Indic digits': '\u06f1',
    'Devanagari digits': '\u0967',
    'full-width digits': '\uff11',
    'a superscript': '\u00b2',
    'mathematical digits': '\u{1d7cf}',
    'a byte order mark': '\ufeff1',
    Infinity: 'Infinity',
    NaN: 'NaN',
  };
  for (const [name, text] of Object.entries(others)) t.notOk(isNonce(text), name);
});

t.test('nonces are exactly the decimal forms of numbers below 10^24', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), (number) => isNonce(String(number)))),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.string(),
        (text) => isNonce(text) === (/^\d+$/.test(text) && String(BigInt(text)) === text),
      ),
    ),
  );
});

// The arithmetic of effort: bits, parts, lifetime, and the format of its answer.

t.test('the total is the price plus the added bits of effort, from 22 to 28 bits, in 16 parts', async (t) => {
  t.equal(EFFORT_PARTS, 16);
  for (const [price, bits, whole] of [
    [16, 4, 22],
    [18, 4, 22],
    [20, 4, 24],
    [24, 4, 28],
    [24, 8, 28],
    [16, 0, 22],
    [24, 0, 24],
  ] as const) {
    t.equal(effortBits(price, bits), whole);
    t.equal(partDifficulty(whole), whole - 4);
    t.equal(totalBits(whole - 4), whole);
  }
});

t.test('the lifetime grows with the work: 120 seconds up to 24 bits, 1,053 at 28', async (t) => {
  const life = (bits: number) => effortLifetimeSeconds(bits, 120);
  t.strictSame([22, 23, 24, 25, 26, 27, 28].map(life), [120, 120, 120, 132, 264, 527, 1053]);
  t.equal(effortLifetimeSeconds(28, 5000), 5000);
});

t.test('an answer is sixteen nonces joined by dots, and nothing else', async (t) => {
  const nonces = Array.from({ length: 16 }, (_, i) => String(i * 7));
  t.strictSame(parseEffortAnswer(nonces.join('.')), nonces);
  const longest = Array(16).fill('9'.repeat(24)).join('.');
  t.ok(longest.length <= MAX_EFFORT_CHARACTERS);
  t.equal(parseEffortAnswer(longest)?.length, 16);
  for (const wrong of [
    '',
    '.'.repeat(15),
    nonces.slice(1).join('.'),
    [...nonces, '1'].join('.'),
    `${nonces.join('.')}.`,
    nonces.join(','),
    ['01', ...nonces.slice(1)].join('.'),
    ['+1', ...nonces.slice(1)].join('.'),
    ['', ...nonces.slice(1)].join('.'),
    ['٣', ...nonces.slice(1)].join('.'),
    ['9'.repeat(25), ...nonces.slice(1)].join('.'),
    ` ${nonces.join('.')}`,
    `${'0.'.repeat(15)}0${' '.repeat(400)}`,
    'x'.repeat(1_000_000),
  ]) {
    t.equal(parseEffortAnswer(wrong), null, wrong.slice(0, 40));
  }
});

t.test('every part is verified, each with its own two-digit index', async (t) => {
  const bits = 6;
  const nonces = parseEffortAnswer(solveEffort(bits)) ?? [];
  t.ok(solvesEffort(sha256, salt, nonces, bits));
  t.ok(
    nonces.every((nonce, i) => sha256(`${salt}${String(i).padStart(2, '0')}${nonce}`).charCodeAt(0) < 4),
    'salt, index, nonce',
  );
  for (let part = 0; part < 16; part++) {
    const spoilt = nonces.map((nonce, i) => (i === part ? missPart(part, bits) : nonce));
    t.notOk(solvesEffort(sha256, salt, spoilt, bits), `part ${part}`);
  }
  const rotated = [...nonces.slice(1), nonces[0] ?? ''];
  t.notOk(solvesEffort(sha256, salt, rotated, bits), 'a nonce solves its own part alone');
  t.notOk(solvesEffort(sha256, salt, Array(16).fill(nonces[0]), bits));
});

t.test('no part can be solved with too few zeros', async (t) => {
  const digestOfOnes = () => '\xff'.repeat(32);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 24 }), (bits) => {
      const nonces = Array.from({ length: EFFORT_PARTS }, () => '0');
      t.notOk(solvesEffort(digestOfOnes, salt, nonces, bits));
      t.ok(solvesEffort(() => '\0'.repeat(32), salt, nonces, bits));
    }),
    { numRuns: 24 },
  );
});

function missPart(part: number, bits: number): string {
  const index = String(part).padStart(2, '0');
  for (let nonce = 0; ; nonce++) {
    if (sha256(`${salt}${index}${nonce}`).charCodeAt(0) >> (8 - bits) !== 0) return String(nonce);
  }
}
