// Public keys of devices: valid keys, and their thumbprints.

import t from 'tap';
import { parseDeviceKey, readDeviceKey } from '../../src/domain/binding/public-jwk.js';

/** A modulus of this many bits. Nothing is verified with it, so it need not be a product of two primes. */
const modulusOf = (bits: number) => Buffer.alloc(bits / 8, 0xff).toString('base64url');

/** The key of RFC 7515, A.3. */
const EC = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

/** The key of RFC 7638, 3.1. */
const RSA = {
  kty: 'RSA',
  e: 'AQAB',
  n:
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj' +
    'hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ' +
    'vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK' +
    'nqDKgw',
};

/** The same number with another spelling, and so with another thumbprint. */
const withLeadingZero = (coordinate: string) =>
  Buffer.concat([Buffer.alloc(1), Buffer.from(coordinate, 'base64url')]).toString('base64url');

t.test('a key has the thumbprint of RFC 7638, and a compact form that decodes to the same key', async (t) => {
  const rsa = readDeviceKey({ ...RSA, alg: 'RS256', kid: '2011-04-29' });
  t.match(rsa, { algorithm: 'RS256', thumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' });
  t.equal(rsa?.compact, `RSA.AQAB.${RSA.n}`);
  const ec = readDeviceKey({ ...EC, use: 'sig' });
  t.match(ec, { algorithm: 'ES256', compact: `EC.${EC.x}.${EC.y}`, thumbprint: /^[\w-]{43}$/ });
  for (const key of [rsa, ec]) {
    const parsed = parseDeviceKey(key?.compact ?? '');
    t.match(parsed, { algorithm: key?.algorithm, thumbprint: key?.thumbprint, compact: key?.compact });
    t.ok(key && parsed?.key.equals(key.key));
  }
});

t.test('anything else is rejected', async (t) => {
  const wrong: unknown[] = [
    undefined,
    null,
    'text',
    {},
    { ...EC, kty: 'OKP' },
    { ...EC, kty: undefined },
    { ...EC, crv: 'P-384' },
    { ...EC, crv: undefined },
    { ...EC, d: 'AAAA' },
    { ...RSA, d: 'AAAA' },
    { ...EC, y: undefined },
    { ...EC, x: 7 },
    { ...EC, x: `${EC.x.slice(0, -1)}=` },
    { ...EC, x: `.${EC.x.slice(1)}` },
    { ...EC, x: EC.x.slice(1) },
    { ...EC, x: withLeadingZero(EC.x) },
    { ...EC, y: withLeadingZero(EC.y) },
    { ...EC, y: `${EC.y}A` },
    { ...EC, y: EC.x },
    { ...RSA, n: `${RSA.n}=` },
    { ...RSA, n: `=${RSA.n}` },
    { ...RSA, e: `${RSA.e}\n` },
    { ...RSA, e: ` ${RSA.e}` },
    { ...RSA, n: '' },
    { ...RSA, n: undefined },
    { ...RSA, e: undefined },
  ];
  for (const jwk of wrong) t.equal(readDeviceKey(jwk), undefined, JSON.stringify(jwk));
  const texts = [
    '',
    'EC',
    `EC.${EC.x}`,
    `EC.${EC.x}.${EC.y}.`,
    `ec.${EC.x}.${EC.y}`,
    `RSA.${EC.x}.${EC.y}`,
    `constructor.${EC.x}.${EC.y}`,
    `EC.${EC.y}.${EC.x}`,
  ];
  for (const text of texts) t.equal(parseDeviceKey(text), undefined, text);
});

t.test('an RSA key has 2,048 to 4,096 bits', async (t) => {
  const lengths = [2040, 2048, 4096, 4104];
  t.strictSame(
    lengths.map((bits) => readDeviceKey({ ...RSA, n: modulusOf(bits) }) !== undefined),
    [false, true, true, false],
  );
});

t.test(
  'an RSA key with an exponent below 65,537 is rejected: with 1 every text is its own signature',
  async (t) => {
    const { n } = RSA;
    t.match(readDeviceKey({ kty: 'RSA', n, e: 'AQAB' }), { algorithm: 'RS256' });
    t.match(readDeviceKey({ kty: 'RSA', n, e: 'AQAD' }), { algorithm: 'RS256' }, '65,539');
    for (const small of ['AQ', 'Aw', 'EQ', 'AAAB', 'AP__']) {
      t.equal(readDeviceKey({ kty: 'RSA', n, e: small }), undefined, small);
      t.equal(parseDeviceKey(`RSA.${small}.${n}`), undefined, `stored ${small}`);
    }
    t.ok(readDeviceKey({ kty: 'RSA', n, e: '_____w' }), 'of four bytes');
    t.equal(readDeviceKey({ kty: 'RSA', n, e: 'AQAAAAE' }), undefined, 'of five bytes');
  },
);
