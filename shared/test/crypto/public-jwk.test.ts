// Keys that devices hand in: which RSA keys are none.

import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { parseDeviceKey, readDeviceKey } from '../../src/crypto/public-jwk.js';

t.test('an RSA key whose exponent is below 65,537 is refused: with 1 every text signs itself', async (t) => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e } = publicKey.export({ format: 'jwk' });
  t.equal(e, 'AQAB');
  t.match(readDeviceKey({ kty: 'RSA', n, e: 'AQAB' }), { algorithm: 'RS256' });
  t.match(readDeviceKey({ kty: 'RSA', n, e: 'AQAD' }), { algorithm: 'RS256' }, '65,539');
  for (const small of ['AQ', 'Aw', 'EQ', 'AAAB', 'AP__']) {
    t.equal(readDeviceKey({ kty: 'RSA', n, e: small }), undefined, small);
    t.equal(parseDeviceKey(`RSA.${small}.${n}`), undefined, `stored ${small}`);
  }
});
