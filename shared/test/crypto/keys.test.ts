// Keys: lists of secrets, derived and exported keys, keyed hashes, and comparison.

import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { exportAccessKeys, importAccessKeys } from '../../src/crypto/access-keys.js';
import { equalBytes, equalText, matcherOf } from '../../src/crypto/constant-time.js';
import { createEnvelope, createKeyedEnvelope } from '../../src/crypto/envelope.js';
import { keyedHash, openKeyRing } from '../../src/crypto/key-ring.js';

const FIRST = 'first-secret-of-32-characters-xx';
const OTHER = 'other-secret-of-32-characters-yy';

t.test('a key id is the first bytes of a keyed hash of a fixed text', async (t) => {
  // HMAC-SHA256(secret, `tollgate key id`), computed with Python's hmac.
  t.equal(openKeyRing(FIRST).current.id, 'f1a974e9');
  t.equal(openKeyRing(OTHER).current.id, '01954fbf');
});

t.test('derived keys are HKDF-SHA256 with an empty salt', async (t) => {
  // RFC 5869, test case 3: no salt, no info; its first 32 bytes.
  const okm = '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d';
  t.equal(openKeyRing('\x0b'.repeat(22)).current.derive('').export().toString('hex'), okm);
});

t.test('each purpose has its own key, and equal purposes have the same', async (t) => {
  const { current } = openKeyRing(FIRST);
  t.equal(current.derive('a'), current.derive('a'));
  t.notOk(current.derive('a').equals(current.derive('b')));
  t.notOk(current.derive('a').equals(openKeyRing(OTHER).current.derive('a')));
});

t.test('the first of a list is used, and all are found by their ids', async (t) => {
  const ring = openKeyRing(`${OTHER},${FIRST}`);
  t.equal(ring.current.id, '01954fbf');
  t.strictSame(
    ring.all.map(({ id }) => id),
    ['01954fbf', 'f1a974e9'],
  );
  t.equal(ring.find('f1a974e9'), ring.all[1]);
  t.equal(ring.find('00000000'), undefined);
  t.equal(ring.find('__proto__'), undefined);
});

t.test('a secret is the UTF-8 encoding of the unchanged text', async (t) => {
  t.equal(openKeyRing('YWJj é').current.secret.export().toString('utf8'), 'YWJj é');
});

t.test('a list without a secret is rejected', async (t) => {
  for (const list of ['', ',', ',,']) t.throws(() => openKeyRing(list), RangeError);
});

// Exported keys for other services: they open access tokens and nothing else.

const SECRETS = 'first-encryption-key-0123456789abcdef,second-encryption-key-0123456789abcdef';

t.test('exported keys open access tokens of every list element, and no refresh token', async (t) => {
  const ring = openKeyRing(SECRETS);
  const text = exportAccessKeys(ring);
  t.match(text, /^[0-9a-f]{8}:[\w-]{43},[0-9a-f]{8}:[\w-]{43}$/);
  for (const secret of SECRETS.split(',')) t.notMatch(text, secret);
  const imported = createKeyedEnvelope('access', importAccessKeys(text));
  for (const secret of SECRETS.split(',')) {
    const own = openKeyRing(secret);
    t.equal(imported.open(createEnvelope('access', own).seal('claims')), 'claims');
    t.equal(imported.open(createEnvelope('refresh', own).seal('claims')), null);
  }
  t.strictSame(
    importAccessKeys(text.replace(',', ' , ')).map(({ id }) => id),
    importAccessKeys(text).map(({ id }) => id),
    'blanks around an element',
  );
  const asRefresh = createKeyedEnvelope('refresh', importAccessKeys(text));
  t.equal(asRefresh.open(createEnvelope('refresh', ring).seal('claims')), null);
});

t.test('anything else is rejected without being repeated', async (t) => {
  const good = exportAccessKeys(openKeyRing(SECRETS));
  const bad = [
    '',
    ',',
    good.slice(1),
    `0${good}`,
    `${good},`,
    good.replace(':', ';'),
    `${good}=`,
    SECRETS,
    `${good.slice(0, -1)}_`,
  ];
  for (const text of bad) {
    t.throws(() => importAccessKeys(text), { name: 'RangeError', message: /export-access/ });
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        importAccessKeys(text);
        return false;
      } catch (error) {
        return error instanceof RangeError;
      }
    }),
  );
});

// Keyed hashes of identifiers.

const keyOf = (text: string) => createSecretKey(Buffer.from(text));

t.test('a keyed hash is HMAC-SHA256 truncated to 128 bits', async (t) => {
  // RFC 4231, test case 2.
  t.equal(
    keyedHash(keyOf('Jefe'), 'what do ya want for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c7',
  );
});

t.test('a zero byte separates two parts', async (t) => {
  // HMAC-SHA256(key, 'one' ‖ 0x00 ‖ 'two'), computed with Python's hmac.
  const key = keyOf('first-secret-of-32-characters-xx');
  t.equal(keyedHash(key, 'one', 'two').toString('hex'), '7bade2f0515b74431c1fc4ea5de86042');
});

t.test('a character moved from one part to the next gives another hash', async (t) => {
  const key = keyOf('key');
  const part = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(part, part, (a, b) => {
        const moved = keyedHash(key, a + b.slice(0, 1), b.slice(1));
        return !keyedHash(key, a, b).equals(moved) && !keyedHash(key, a + b).equals(keyedHash(key, a, b));
      }),
    ),
  );
});

// Comparison of secrets.

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

// Compares a request's secret with the configured one.

t.test('only the secret matches', async (t) => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (secret, presented) => {
      t.equal(matcherOf(secret)(presented), secret === presented);
      t.equal(matcherOf(secret)(secret), true);
    }),
    { numRuns: 50 },
  );
  const matches = matcherOf('the secret');
  for (const near of ['', 'the secre', 'the secret ', 'The secret', 'the secret\0']) t.notOk(matches(near));
});
