// Both algorithms: their common interface, equal prices, and the choice for a client.

import { createHash } from 'node:crypto';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { vectors } from '@tollgate/test-support/hashwx/vectors.js';
import { EFFORT_SALT as salt, solveEffort } from '@tollgate/test-support/issuing.js';
import fc from 'fast-check';
import t from 'tap';
import {
  ALGORITHMS,
  acceptedAlgorithms,
  algorithmOfTerms,
  algorithmsByName,
  chooseAlgorithm,
  isAcceptedAlgorithm,
  openAlgorithms,
} from '../../src/pow/algorithms.js';
import { HASHWX_EXCHANGE, hashwx } from '../../src/pow/hashwx/algorithm.js';
import { hashwxPartBits, hashwxPartHashes } from '../../src/pow/hashwx/work.js';
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

t.test('HashWX: the challenge of the vectors is solved with its own terms alone', async (t) => {
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

// A client's algorithm, and equal prices for both algorithms.

const chosenOf = (...args: Parameters<typeof chooseAlgorithm>) => chooseAlgorithm(...args).algorithm.name;

t.test('the option names HashWX with or without its exchange', async (t) => {
  const exchanges = (option: string) =>
    acceptedAlgorithms(option).map(({ algorithm, exchange }) => [algorithm.name, exchange]);
  t.strictSame(exchanges('sha256'), [['sha256', 1]]);
  t.strictSame(exchanges('sha256,hashwx-1'), [
    ['sha256', 1],
    ['hashwx-1', HASHWX_EXCHANGE],
  ]);
  t.strictSame(exchanges('hashwx-1=75,sha256'), [
    ['sha256', 1],
    ['hashwx-1', 75],
  ]);
  t.strictSame(exchanges('sha256,argon2=9,hashwx-1=75,hashwx-1=80'), [
    ['sha256', 1],
    ['hashwx-1', 75],
  ]);
});

t.test('a client gets the first accepted algorithm of its list, and otherwise SHA-256', async (t) => {
  const both = acceptedAlgorithms('sha256,hashwx-1=150');
  t.equal(chosenOf(both, 'hashwx-1,sha256'), 'hashwx-1');
  t.equal(chosenOf(both, 'sha256,hashwx-1'), 'sha256');
  t.equal(chosenOf(both, 'argon2,hashwx-1'), 'hashwx-1');
  t.equal(chosenOf(acceptedAlgorithms('sha256'), 'hashwx-1,sha256'), 'sha256');
  for (const asked of [
    undefined,
    null,
    '',
    7,
    ['hashwx-1'],
    {},
    ' hashwx-1',
    `${'x'.repeat(300)},hashwx-1`,
  ]) {
    t.equal(chosenOf(both, asked), 'sha256');
  }
});

t.test('SHA-256 is always accepted, HashWX if the option names it, and nothing else', async (t) => {
  const names = ['sha256', 'hashwx-1', 'argon2', '', undefined, 7];
  const accepted = (option: string) =>
    names.filter((name) => isAcceptedAlgorithm(acceptedAlgorithms(option), name));
  t.strictSame(accepted('sha256,hashwx-1'), ['sha256', 'hashwx-1']);
  t.strictSame(accepted('sha256'), ['sha256']);
});

t.test("a form's required algorithm takes precedence over the client's order", async (t) => {
  const both = acceptedAlgorithms('sha256,hashwx-1=150');
  for (const [asked, demanded, chosen] of [
    ['hashwx-1,sha256', ['sha256'], 'sha256'],
    ['sha256,hashwx-1', ['hashwx-1'], 'hashwx-1'],
    ['sha256,hashwx-1', ['hashwx-1', 'sha256'], 'sha256'],
    ['sha256', ['hashwx-1'], 'sha256'],
    ['sha256,hashwx-1', ['argon2'], 'sha256'],
    ['hashwx-1', null, 'hashwx-1'],
  ] as const) {
    t.equal(chosenOf(both, asked, demanded), chosen, `${asked}, ${demanded}`);
  }
  t.equal(chosenOf(acceptedAlgorithms('sha256'), 'hashwx-1', ['hashwx-1']), 'sha256');
  t.equal(chosenOf(both, `hashwx-1,${'x'.repeat(247)}`), 'hashwx-1', 'a list of 256 characters is read');
  t.equal(chosenOf(both, `hashwx-1,${'x'.repeat(248)}`), 'sha256', 'a longer one is not');
});

t.test(
  'HashWX work costs the same as SHA-256 work of equal bits, up to the rounding of one part',
  async (t) => {
    const bits = fc.integer({ min: 1, max: 28 });
    const exchange = fc.integer({ min: 1, max: 9999 });
    fc.assert(
      fc.property(bits, exchange, (bits, exchange) => {
        const hashes = hashwxPartHashes(bits, exchange);
        t.ok(Number.isInteger(hashes) && hashes >= 2 && hashes <= 2 ** 32);
        const cost = 4 * exchange * hashes;
        // The minimum difficulty of a part is 2, so cheap work costs more.
        t.ok(cost >= 2 ** bits - 2 * exchange);
        if (hashes > 2) t.ok(cost <= 2 ** bits + 2 * exchange);
      }),
    );
    t.equal(hashwxPartHashes(64, 1), 2 ** 32);
    t.equal(hashwxPartBits(22), 20, 'each of the four parts costs a quarter');
  },
);
