// Texts signed by devices: accepted formats and signature verification.

import { type DeviceKey, readDeviceKey } from '@tollgate/shared/crypto';
import { newDevice, signed } from '@tollgate/test-support/device-key.js';
import fc from 'fast-check';
import t from 'tap';
import { readCompactJws } from '../../src/domain/binding/compact-jws.js';

const encode = (text: string) => Buffer.from(text).toString('base64url');
const HEADER = encode('{"alg":"ES256"}');
const PAYLOAD = encode('{"jti":"a"}');

t.test('header and payload are read, and the signing key is recognised', async (t) => {
  for (const algorithm of ['ES256', 'RS256'] as const) {
    const [device, other] = [newDevice(algorithm), newDevice()];
    const key = readDeviceKey(device.jwk) as DeviceKey;
    const text = signed(device, { alg: algorithm, typ: 'x' }, { jti: 'é' });
    const jws = readCompactJws(text);
    t.strictSame([jws?.header, jws?.payload], [{ alg: algorithm, typ: 'x' }, { jti: 'é' }]);
    t.equal(jws?.isSignedBy(key), true);
    t.equal(jws?.isSignedBy(readDeviceKey(other.jwk) as DeviceKey), false);
    const [head, body, signature] = text.split('.');
    t.equal(readCompactJws(`${head}.${PAYLOAD}.${signature}`)?.isSignedBy(key), false, 'another payload');
    t.equal(readCompactJws(`${HEADER}.${body}.${signature}`)?.isSignedBy(key), false, 'another header');
    const named = readCompactJws(signed(device, { alg: 'none' }, {}));
    t.equal(named?.isSignedBy(key), false, 'another algorithm than that of the key');
  }
});

t.test('a text in any other format is not read', async (t) => {
  t.ok(readCompactJws(`${HEADER}.${PAYLOAD}.AA`));
  const texts = [
    '',
    HEADER,
    `${HEADER}.${PAYLOAD}`,
    `${HEADER}.${PAYLOAD}.`,
    `.${PAYLOAD}.AA`,
    `${HEADER}..AA`,
    `${HEADER}.${PAYLOAD}.AA.AA`,
    ` ${HEADER}.${PAYLOAD}.AA`,
    `${HEADER}.${PAYLOAD}.AA=`,
    `${HEADER}.${PAYLOAD}.A+A`,
    `${HEADER}.${PAYLOAD}.AA\n`,
  ];
  for (const text of texts) t.equal(readCompactJws(text), undefined, JSON.stringify(text));
  for (const part of ['null', '7', '"text"', '[]', '[{}]', '{', '']) {
    t.equal(readCompactJws(`${encode(part)}.${PAYLOAD}.AA`), undefined, `the header ${part}`);
    t.equal(readCompactJws(`${HEADER}.${encode(part)}.AA`), undefined, `the payload ${part}`);
  }
  t.equal(readCompactJws(`${encode('{"crit":[]}')}.${PAYLOAD}.AA`), undefined, 'an extension');
  t.doesNotThrow(() => fc.assert(fc.property(fc.string(), (text) => readCompactJws(text) === undefined)));
});
