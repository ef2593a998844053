// Account event and sign-in code records in the store.

import fc from 'fast-check';
import t from 'tap';
import {
  type AccountEvent,
  BUCKETS,
  bucketOf,
  formatAccountEvent,
  parseAccountEvent,
} from '../../src/domain/account-event.js';
import { formatSignInCode, parseSignInCode } from '../../src/domain/sign-in-code.js';

const pseudonym = fc.stringMatching(/^[0-9a-f]{32}$/);
const uid = fc.oneof(fc.integer({ min: 1, max: 2 ** 40 }), fc.constantFrom('u-1', 'ann@example.com'));
const event = fc.record(
  {
    atMs: fc.integer({ min: 1, max: 2 ** 41 }),
    event: fc.constantFrom('login' as const, 'login_failed' as const, 'login_refused' as const),
    reason: fc.constantFrom('wrong_password', 'challenge_required'),
    account: pseudonym,
    address: pseudonym,
    uid,
    sid: fc.stringMatching(/^[A-Za-z0-9]{22}$/),
  },
  { requiredKeys: ['atMs', 'event', 'account'], noNullPrototype: true },
);

t.test('decoding an event returns the original', async (t) => {
  const property = fc.property(event, ({ atMs, ...rest }) => {
    const decoded: AccountEvent = parseAccountEvent(`${atMs} ${formatAccountEvent(rest)}`);
    t.strictSame(decoded, { atMs, ...rest });
  });
  t.doesNotThrow(() => fc.assert(property));
  const account = 'f'.repeat(32);
  t.equal(formatAccountEvent({ event: 'login', account }), `login ${account} - - -`);
  t.strictSame(parseAccountEvent(`5 login ${account}`), { atMs: 5, event: 'login', account });
});

t.test('accounts are assigned to buckets by the first eight digits of their pseudonym', async (t) => {
  t.equal(bucketOf(`${'0'.repeat(8)}${'f'.repeat(24)}`), 0);
  t.equal(bucketOf(`00000400${'f'.repeat(24)}`), 0);
  t.equal(bucketOf(`0000040a${'0'.repeat(24)}`), 10);
  t.equal(bucketOf('f'.repeat(32)), BUCKETS - 1);
});

t.test('decoding a sign-in code returns the original', async (t) => {
  const property = fc.property(
    uid,
    fc.nat(),
    fc.dictionary(fc.constantFrom('amr', 'remember'), fc.stringMatching(/^[!-~]{0,9}$/), {
      noNullPrototype: true,
    }),
    (uid, createdAtMs, attributes) => {
      const code = { uid, createdAtMs, origin: 'https://app.example.com', attributes };
      t.strictSame(parseSignInCode(formatSignInCode(code)), code);
    },
  );
  t.doesNotThrow(() => fc.assert(property));
});
