// Exported keys for other services: they open access tokens and nothing else.

import fc from 'fast-check';
import t from 'tap';
import { exportAccessKeys, importAccessKeys } from '../../src/crypto/access-keys.js';
import { createEnvelope, createKeyedEnvelope } from '../../src/crypto/envelope.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';

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
  const asRefresh = createKeyedEnvelope('refresh', importAccessKeys(text));
  t.equal(asRefresh.open(createEnvelope('refresh', ring).seal('claims')), null);
});

t.test('anything else is rejected without being repeated', async (t) => {
  const good = exportAccessKeys(openKeyRing(SECRETS));
  const bad = [
    '',
    ',',
    good.slice(1),
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
