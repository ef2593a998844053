// A client's algorithm, and equal prices for both algorithms.
import fc from 'fast-check';
import t from 'tap';
import { acceptedAlgorithms, chooseAlgorithm, isAcceptedAlgorithm } from '../../src/pow/algorithms.js';
import { HASHWX_EXCHANGE } from '../../src/pow/hashwx/algorithm.js';
import { hashwxPartBits, hashwxPartHashes } from '../../src/pow/hashwx/work.js';

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
