// The arithmetic of effort: bits, parts, lifetime, and the format of its answer.

import { createHash } from 'node:crypto';
import { EFFORT_SALT as salt, solveEffort } from '@tollgate/test-support/issuing.js';
import fc from 'fast-check';
import t from 'tap';
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('binary');

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
