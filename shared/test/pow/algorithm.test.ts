// The two algorithms behind their common interface.
import { createHash } from 'node:crypto';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { vectors } from '@tollgate/test-support/hashwx/vectors.js';
import { EFFORT_SALT as salt, solveEffort } from '@tollgate/test-support/issuing.js';
import t from 'tap';
import { ALGORITHMS, algorithmOfTerms, algorithmsByName, openAlgorithms } from '../../src/pow/algorithms.js';
import { HASHWX_EXCHANGE, hashwx } from '../../src/pow/hashwx/algorithm.js';
import { sha256, sha256Text } from '../../src/pow/sha256/algorithm.js';

/** The first text of a series with a zero byte at the beginning of its SHA-256 after the salt. */
function firstSolution(textOf: (at: number) => string): string {
  for (let at = 0; ; at++) {
    const digest = createHash('sha256')
      .update(salt + textOf(at))
      .digest();
    if (digest[0] === 0) return textOf(at);
  }
}

t.test("an algorithm is found by its name and by a record's terms", async (t) => {
  t.strictSame(
    [...algorithmsByName],
    [
      ['sha256', sha256],
      ['hashwx-1', hashwx],
    ],
  );
  t.strictSame(ALGORITHMS, ['sha256', 'hashwx-1']);
  t.equal(algorithmOfTerms(undefined), sha256);
  t.equal(algorithmOfTerms([28, 512]), hashwx);
});

t.test('an accepted algorithm is ready to verify', async (t) => {
  t.strictSame(
    openAlgorithms('sha256,hashwx-1').map(({ algorithm }) => algorithm.name),
    ['sha256', 'hashwx-1'],
  );
});

t.test('SHA-256: salts of 16 bytes, no terms, an exchange of one', async (t) => {
  const { saltBytes, exchange, newTerms, areTerms, fields } = sha256;
  t.strictSame({ saltBytes, exchange }, { saltBytes: 16, exchange: 1 });
  t.strictSame([newTerms, areTerms, fields], [undefined, undefined, undefined]);
  t.strictSame(sha256.effortFields(22, undefined), { parts: 16, part_difficulty: 18 });
  t.equal(sha256Text('abc'), createHash('sha256').update('abc').digest('binary'));
});

t.test('SHA-256: a solution is a nonce with enough zero bits', async (t) => {
  const nonce = firstSolution(String);
  const work = (bits: number) => ({ salt, bits });
  t.ok(sha256.isSolution(nonce));
  t.ok(sha256.solves(work(8), nonce));
  t.notOk(sha256.solves(work(8), `${nonce}0`));
  t.notOk(sha256.solves(work(40), nonce));
  const noNonce = firstSolution((at) => `+${at}`);
  t.notOk(sha256.isSolution(noNonce));
  t.notOk(sha256.solves(work(8), noNonce), 'zero bits without the form of a nonce');
});

t.test('SHA-256: effort is sixteen parts, each four bits below the total', async (t) => {
  const answer = solveEffort(6);
  t.ok(sha256.solvesEffort({ salt, bits: 10 }, answer));
  t.notOk(sha256.solvesEffort({ salt, bits: 30 }, answer));
  t.notOk(
    sha256.solvesEffort(
      { salt, bits: 10 },
      answer.replace(/\d$/, (digit) => String(9 - Number(digit))),
    ),
  );
  t.notOk(sha256.solvesEffort({ salt, bits: 0 }, '0.0'), 'no answer at all');
});

t.test('HashWX: salts of 32 bytes, and exchange and nonces per function as terms', async (t) => {
  t.strictSame(
    { saltBytes: hashwx.saltBytes, exchange: hashwx.exchange },
    { saltBytes: 32, exchange: HASHWX_EXCHANGE },
  );
  t.strictSame(hashwx.newTerms?.(150, 512), [150, 512]);
  const areTerms = (...terms: number[]) => hashwx.areTerms?.(terms);
  for (const terms of [
    [1, 1],
    [150, 512],
    [9999, 65_536],
  ])
    t.equal(areTerms(...terms), true, `${terms}`);
  for (const terms of [[], [150], [0, 512], [150, 0], [150, 65_537]])
    t.equal(areTerms(...terms), false, `${terms}`);
});

t.test(
  'HashWX: a response has the hashes of a part and the nonces of a function, for effort its bits too',
  async (t) => {
    const fields = { parts: 4, part_hashes: 2000, nonces_per_function: 512 };
    t.strictSame(hashwx.fields?.(24, [2097, 512]), fields);
    t.strictSame(hashwx.effortFields(24, [2097, 512]), { ...fields, part_difficulty: 22 });
  },
);

t.test('HashWX: the published challenge is solved with its own terms alone', async (t) => {
  const { seed, solution } = vectors.challenge;
  // 2^24 hashes of SHA-256 are four parts of 2,000 hashes at this exchange.
  const work = { salt: seed, bits: 24, terms: [2097, 65_536] };
  t.ok(hashwx.isSolution(solution));
  for (const verify of ['solves', 'solvesEffort'] as const) {
    t.ok(hashwx[verify](work, solution), verify);
    t.notOk(hashwx[verify]({ ...work, bits: 32 }, solution), 'more bits');
    t.notOk(hashwx[verify]({ ...work, terms: [4, 65_536] }, solution), 'another exchange');
    t.notOk(hashwx[verify]({ ...work, terms: [2097, 512] }, solution), 'other nonces per function');
    for (const terms of [undefined, [], [2097]])
      t.notOk(hashwx[verify]({ ...work, terms }, solution), `${terms}`);
  }
});

t.test('HashWX: a record without its terms is never solved, not even by cheap work', async (t) => {
  const work = { salt: vectors.challenge.seed, bits: 4, terms: [1, 512] };
  const cheap = { salt: work.salt, parts: 4, part_hashes: 4, nonces_per_function: 512 };
  const solution = findHashwxNumbers(cheap);
  t.ok(hashwx.solves(work, solution));
  for (const terms of [undefined, [], [1]]) t.equal(hashwx.solves({ ...work, terms }, solution), false);
});
