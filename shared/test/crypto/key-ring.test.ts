// Lists of secrets, and the keys derived from each.

import t from 'tap';
import { openKeyRing } from '../../src/crypto/key-ring.js';

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
