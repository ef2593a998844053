// Access tokens in the format `public`: their claims, rejected imitations; and the longest tokens of both formats.

import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import Fastify from 'fastify';
import t from 'tap';
import { MAX_NAMES_BYTES } from '../../../src/config/token-formats.js';
import { MAX_TOKEN_CHARACTERS } from '../../../src/crypto/envelope.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { jwksOf, publicKeyId, readJwks } from '../../../src/crypto/public-keys.js';
import { createSigningKey, openSigningKeys, type SigningKey } from '../../../src/crypto/signing-keys.js';
import { createPublicIssuer, createPublicReader } from '../../../src/http/tokens/public-tokens.js';
import tokens, { type PublicTokens } from '../../../src/http/tokens/tokens.js';
import { EMAIL_CHARACTERS } from '../../../src/schemas/session-bodies.js';
import {
  fitsTokens,
  MAX_CLAIMS_BYTES,
  MAX_USER_BYTES,
  readUserClaims,
} from '../../../src/schemas/user-claims.js';
import { MAX_USER_ID_CHARACTERS } from '../../../src/schemas/user-id.js';
import {
  accessClaims,
  FORMATS,
  INVALID,
  NAMES,
  nowSeconds,
  openAccess,
  testFormat,
} from './access-token-contract.js';

const LIST = `${createSigningKey('ES256')},${createSigningKey('EdDSA')}`;
const KEYS = openSigningKeys(LIST);
const [EC, ED] = KEYS.all as [SigningKey, SigningKey];
const read = createPublicReader(() => KEYS.all, NAMES).read;

const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const headerOf = ({ algorithm, id }: SigningKey) => ({ alg: algorithm, typ: 'at+jwt', kid: id });

/** All claims of a token, as written by the issuer. */
function payload(changes: object = {}): object {
  const names = { iss: NAMES.issuer, aud: NAMES.audiences[0], sub: '1', client_id: 'tollgate', jti: 'x' };
  return { ...accessClaims(), ...names, ...changes };
}

/** Builds a token from parts: any header, any claims, any key. */
function craft(header: unknown, claims: unknown = payload(), key: SigningKey = EC): string {
  const input = `${segment(header)}.${segment(claims)}`;
  const hash = key.algorithm === 'ES256' ? 'sha256' : null;
  const signature = sign(hash, Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

for (const format of FORMATS) {
  t.test(`the contract of access tokens: ${format.name}`, (t) => testFormat(t, format));
}

t.test('a token has the claims required by RFC 9068, and those of a sealed one', async (t) => {
  for (const key of KEYS.all) {
    const token = createPublicIssuer(key, NAMES)(accessClaims({ id: 7 }));
    const [head = '', body = ''] = token.split('.');
    t.equal(head, segment(headerOf(key)));
    const { iat, exp, jti, ...claims } = JSON.parse(Buffer.from(body, 'base64url').toString());
    t.strictSame(claims, {
      id: 7,
      email: 'demo@example.com',
      sid: 'A'.repeat(22),
      gen: 1,
      iss: NAMES.issuer,
      aud: 'https://api.example.com',
      sub: '7',
      client_id: 'tollgate',
    });
    t.equal(exp - iat, 900);
    t.match(jti, /^[0-9A-Za-z]{22}$/);
  }
  const audiences = ['https://a.example', 'https://b.example'];
  const several = createPublicIssuer(EC, { ...NAMES, audiences })(accessClaims());
  for (const audience of audiences) {
    const reader = createPublicReader(() => KEYS.all, { ...NAMES, audiences: [audience] });
    t.match(reader.read(several), { ok: true }, audience);
  }
  t.strictSame(read(several), INVALID);
});

t.test(
  'a token built like an issued one is read, so the rejections below are due to their changes',
  async (t) => {
    for (const key of KEYS.all)
      t.match(read(craft(headerOf(key), payload(), key)), { ok: true }, key.algorithm);
  },
);

t.test('crafted headers are rejected: other algorithms, types and keys', async (t) => {
  const header = headerOf(EC);
  const foreign = openSigningKeys(createSigningKey('ES256')).current;
  const { x, y } = foreign.key.export({ format: 'jwk' });
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  const crafted: Record<string, string> = {
    'alg none': craft({ ...header, alg: 'none' }),
    'alg None': craft({ ...header, alg: 'None' }),
    'alg missing': craft({ typ: 'at+jwt', kid: EC.id }),
    'alg in lower case': craft({ ...header, alg: 'es256' }),
    'the algorithm of the other key': craft({ ...header, alg: 'EdDSA' }),
    'the id of the other key': craft({ ...header, kid: ED.id }),
    ES384: craft({ ...header, alg: 'ES384' }),
    'an unknown kid': craft({ ...header, kid: foreign.id }, payload(), foreign),
    'a foreign key under our kid': craft(header, payload(), foreign),
    'a foreign key embedded as jwk': craft({ ...header, jwk }, payload(), foreign),
    'a foreign key embedded as jwk, without kid': craft(
      { alg: 'ES256', typ: 'at+jwt', jwk },
      payload(),
      foreign,
    ),
    'a foreign key at an address': craft({ ...header, jku: 'https://evil.example' }, payload(), foreign),
    'a certificate': craft({ ...header, x5c: ['MII'] }, payload(), foreign),
    'no kid': craft({ alg: 'ES256', typ: 'at+jwt' }),
    'a kid that every object has': craft({ ...header, kid: '__proto__' }),
    'a kid that is a path': craft({ ...header, kid: '../../dev/null' }),
    'a kid that is no text': craft({ ...header, kid: [EC.id] }),
    'typ JWT': craft({ ...header, typ: 'JWT' }),
    'typ of an ID token': craft({ ...header, typ: 'id+jwt' }),
    'typ in full': craft({ ...header, typ: 'application/at+jwt' }),
    'typ missing': craft({ alg: 'ES256', kid: EC.id }),
    'an empty crit': craft({ ...header, crit: [] }),
    'a crit with an extension': craft({ ...header, crit: ['b64'], b64: false }),
    'one member more': craft({ ...header, cty: 'JWT' }),
    'members in another order': craft({ kid: EC.id, typ: 'at+jwt', alg: 'ES256' }),
    'a header that is no object': craft('ES256'),
  };
  for (const [name, token] of Object.entries(crafted)) t.strictSame(read(token), INVALID, name);
});

t.test('the public key is never used as a secret', async (t) => {
  for (const key of KEYS.all) {
    const texts = [
      String(key.key.export({ type: 'spki', format: 'pem' })),
      key.key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwksOf([key]).keys[0]),
      String(key.key.export({ format: 'jwk' }).x),
      '',
    ];
    for (const alg of ['HS256', key.algorithm]) {
      for (const text of texts) {
        const input = `${segment({ ...headerOf(key), alg })}.${segment(payload())}`;
        const signature = createHmac('sha256', text).update(input).digest('base64url');
        t.strictSame(read(`${input}.${signature}`), INVALID);
        t.strictSame(read(`${input}.${signature.repeat(2)}`), INVALID);
      }
    }
  }
});

t.test('signatures are rejected in every form but one', async (t) => {
  const valid = craft(headerOf(EC));
  const [head, body, signature = ''] = valid.split('.');
  const raw = Buffer.from(signature, 'base64url');
  const last = signature.slice(-1);
  const others: Record<string, string> = {
    none: `${head}.${body}.`,
    'no third part': `${head}.${body}`,
    'zeros, which verified under broken libraries': `${head}.${body}.${'A'.repeat(86)}`,
    short: valid.slice(0, -1),
    'DER in place of the two numbers': `${head}.${body}.${Buffer.concat([Buffer.from([0x30]), raw]).toString('base64url')}`,
    'padding behind': `${valid}==`,
    'Base64 with the other two characters': `${head}.${body}.${raw.toString('base64').replace(/=/g, '')}`,
    'bits that do not count': valid.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1),
    'a fourth part': `${valid}.${signature}`,
    'other claims': `${head}.${segment(payload({ id: 2, sub: '2' }))}.${signature}`,
  };
  for (const [name, token] of Object.entries(others)) {
    if (token !== valid) t.strictSame(read(token), INVALID, name);
  }
});

t.test('a wrong or missing claim is rejected despite a right signature', async (t) => {
  const wrong: Record<string, unknown[]> = {
    iss: ['https://auth.example.com/', 'https://evil.example', '', 5, null, [NAMES.issuer], undefined],
    aud: ['https://api.example.com.evil.example', '', 5, null, [], ['https://other.example'], undefined],
    sub: ['2', '01', '', 1, null, undefined],
    client_id: ['', 5, null, undefined],
    jti: ['', 5, null, undefined],
    id: [2, '1', 0, null, undefined],
    exp: ['9999999999', null, undefined],
    iat: [nowSeconds() + 60, '1', null, undefined],
    sid: ['', 5, undefined],
  };
  for (const [claim, values] of Object.entries(wrong)) {
    for (const value of values) {
      t.strictSame(read(craft(headerOf(EC), payload({ [claim]: value }))), INVALID, `${claim} ${value}`);
    }
  }
  for (const claims of [null, 'text', 5, [], {}]) t.strictSame(read(craft(headerOf(EC), claims)), INVALID);
  t.strictSame(read(craft(headerOf(EC), payload({ exp: nowSeconds() - 60 }))), {
    ok: false,
    reason: 'expired',
  });
  t.strictSame(read(craft({ ...headerOf(EC), typ: 'JWT' }, payload({ exp: 1 }))), INVALID, 'not expired');
});

t.test('both formats are accepted during a change, and the old one is not afterwards', async (t) => {
  const secrets = openKeyRing('access-secret-of-the-tests-000001');
  const publicTokens = { ...NAMES, keys: KEYS, issued: true };
  const used: string[] = [];
  const onIssued = (kind: string, key: string) => void used.push(`${kind} ${key}`);
  const stages = [
    { accessSecrets: secrets },
    { accessSecrets: secrets, publicTokens: { ...publicTokens, issued: false } },
    { accessSecrets: secrets, publicTokens },
    { publicTokens },
  ];
  const nodes = await Promise.all(stages.map((options) => openAccess(t, { ...options, onIssued })));
  const issued = nodes.map((node) => node.issue(accessClaims()));
  t.strictSame(
    nodes.map((node) => issued.map((token) => node.read(token).ok)),
    [
      [true, true, false, false],
      [true, true, true, true],
      [true, true, true, true],
      [false, false, true, true],
    ],
  );
  const verifier = await openAccess(t, { publicTokens: { ...publicTokens, issued: false } });
  t.strictSame(
    issued.map((token) => verifier.read(token).ok),
    [false, false, true, true],
    'a verifier without secrets',
  );
  await t.rejects(openAccess(t, {}), { name: 'RangeError', message: /secrets or signing keys/ });
  const encryption = openKeyRing('encryption-key-of-the-tests-00001').current.id;
  t.strictSame(
    used,
    [encryption, encryption, EC.id, EC.id].map((id) => `access ${id}`),
  );
});

t.test('keys may change while tokens are read; a removed key is rejected at once', async (t) => {
  let known = readJwks(jwksOf([EC]));
  const reader = createPublicReader(() => known, NAMES);
  const [old, next] = [craft(headerOf(EC)), craft(headerOf(ED), payload(), ED)];
  const header = Buffer.from(next.split('.')[0]!, 'base64url').toString();
  const withHeader = (text: string) => next.replace(/^[^.]*/, Buffer.from(text).toString('base64url'));
  t.equal(withHeader(header), next);
  t.match(reader.read(old), { ok: true });
  t.strictSame(reader.read(next), INVALID);
  t.equal(reader.namesUnknownKey(next), true);
  t.equal(reader.namesUnknownKey(craft({ ...headerOf(EC), alg: 'EdDSA' })), false, 'the id is known');
  for (const text of [
    '',
    '.',
    'x.y.z',
    craft({ ...headerOf(ED), typ: 'JWT' }),
    `${next}${'x'.repeat(5000)}`,
    ...['x', ' '].flatMap((text) => [`${text}${header}`, `${header}${text}`]).map(withHeader),
  ]) {
    t.equal(reader.namesUnknownKey(text), false, 'nothing that is worth a look for keys');
  }
  known = readJwks(jwksOf(KEYS.all));
  t.match(reader.read(next), { ok: true });
  t.equal(reader.namesUnknownKey(next), false, 'one of two keys is known');
  known = readJwks(jwksOf([ED]));
  t.match(reader.read(next), { ok: true });
  t.strictSame(reader.read(old), INVALID, 'although it was cached');
  const other = openSigningKeys(createSigningKey('EdDSA')).current;
  known = [{ ...other, id: ED.id }];
  t.strictSame(reader.read(next), INVALID, 'another key under the same id');
});

t.test('a list of signing keys is parsed strictly, and its errors contain no key', async (t) => {
  const [one = '', other = ''] = LIST.split(',');
  t.strictSame(
    openSigningKeys(` ${one} , ${other}`).all.map(({ id }) => id),
    [EC.id, ED.id],
  );
  const form = /^must contain outputs of keys create-signing-key/;
  for (const list of [
    ...[
      '',
      ',',
      `${one},`,
      'ES256:',
      `RS256:${one.slice(6)}`,
      `x${one}`,
      one.slice(0, -1),
      `${one}A`,
      one.toLowerCase(),
    ],
    ...[`ES256:${'A'.repeat(43)}`, `ES256:${'_'.repeat(42)}8`, `EdDSA:${'A'.repeat(42)}B`],
  ]) {
    t.throws(() => openSigningKeys(list), { message: form }, list);
  }
  t.throws(() => openSigningKeys(`${one},${other},${one}`), {
    message: 'must not have the same element twice',
  });
  for (const key of KEYS.all) t.ok(createPublicKey(key.privateKey).equals(key.key));
});

t.test("a key id is the beginning of the key's thumbprint", async (t) => {
  for (const [key, thumbprint] of [
    // RFC 8037, A.3, whose thumbprint is kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k.
    [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }, 'kPrK_qmx'],
    // The public key of RFC 7515, A.3; its thumbprint computed with Python's hashlib.
    [
      {
        kty: 'EC',
        crv: 'P-256',
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      },
      'oKIywvGU',
    ],
  ] as const) {
    const id = publicKeyId(createPublicKey({ format: 'jwk', key }));
    t.equal(id, Buffer.from(thumbprint, 'base64url').toString('hex').slice(0, 8));
  }
});

t.test('a set of keys is read according to RFC 7517: unsupported keys are skipped', async (t) => {
  const { keys } = jwksOf(KEYS.all);
  t.strictSame(
    readJwks({ keys }).map(({ id }) => id),
    [EC.id, ED.id],
  );
  const [first] = keys;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  for (const key of [
    ...[null, 5, 'text', [], {}, { ...rsa, kid: 'a' }, { kty: 'oct', k: 'AAAA', kid: 'a', alg: 'HS256' }],
    ...[
      { ...first, use: 'enc' },
      { ...first, alg: 'EdDSA' },
      { ...first, alg: 'HS256' },
      { ...first, kid: 5 },
    ],
    ...[
      { ...first, kid: 'é' },
      { ...first, kid: ' a' },
      { ...first, kid: 'a ' },
      { ...first, kid: 'a'.repeat(65) },
      { ...first, kid: '' },
      { ...first, x: 'AAAA' },
      { ...first, x: first?.y },
    ],
    ...[
      { ...first, d: 'secret' },
      { ...first, crv: 'P-384' },
      { ...first, crv: 'Ed25519' },
    ],
  ]) {
    t.strictSame(readJwks({ keys: [key] }), [], JSON.stringify(key));
  }
  for (const namedCurve of ['P-384', 'secp256k1']) {
    const other = generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
    t.strictSame(readJwks({ keys: [{ ...other, kid: 'a' }] }), [], `${other.kty} ${other.crv}`);
  }
  const agreement = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  t.strictSame(readJwks({ keys: [{ ...agreement, kid: 'a' }] }), [], 'a key that signs nothing');
  const { alg: _alg, use: _use, ...bare } = keys[0]!;
  const [unlabelled] = readJwks({ keys: [bare] });
  t.match(unlabelled, { id: EC.id, algorithm: 'ES256' }, 'alg and use are optional');
  t.ok(unlabelled?.key.equals(EC.key));
  t.equal(readJwks({ keys: [first, { ...keys[1], kid: first?.kid }] }).length, 1, 'the first of an id');
  t.equal(
    readJwks({ keys: Array.from({ length: 100 }, (_, at) => ({ ...first, kid: `k${at}` })) }).length,
    32,
  );
  for (const jwks of [null, undefined, 5, 'text', [], {}, { keys: {} }, { keys: null }]) {
    t.throws(() => readJwks(jwks), { name: 'RangeError' });
  }
});

// Every issued token is accepted: the limits of user, authentication and token are consistent.

/** The cookie size limit of browsers, 4,096 bytes including the name. */
const LONGEST_COOKIE = 4096 - '__Host-refreshToken='.length;

/** The longest claims besides an address. */
function longestClaims(email: string) {
  for (let length = MAX_CLAIMS_BYTES; length >= 0; length--) {
    const claims = readUserClaims({ a: 'x'.repeat(length) });
    if (claims && fitsTokens(email, claims)) return claims;
  }
  return undefined;
}

async function openTokens(format: 'sealed' | 'public') {
  const app = Fastify();
  t.teardown(() => app.close());
  const names = (MAX_NAMES_BYTES - 12) / 3;
  const publicTokens: PublicTokens = {
    keys: openSigningKeys(createSigningKey('ES256')),
    issued: format === 'public',
    issuer: 'i'.repeat(names),
    audiences: ['a'.repeat(names / 2), 'b'.repeat(names / 2 - 3)],
    clientId: 'c'.repeat(names),
  };
  await app.register(tokens, {
    accessSecrets: openKeyRing('a'.repeat(32)),
    refreshSecrets: openKeyRing('b'.repeat(32)),
    encryptionKeys: openKeyRing('c'.repeat(32)),
    publicTokens,
  });
  await app.ready();
  return app.tokens;
}

for (const format of ['sealed', 'public'] as const) {
  t.test(`every ${format} token at the extremes of the limits is accepted`, async (t) => {
    const { access, refresh } = await openTokens(format);
    const emails = ['e', 'é', 'ก', '😀', '"', '\\'].map((letter) =>
      letter.repeat(Math.floor(EMAIL_CHARACTERS / letter.length)),
    );
    for (const email of [...emails, 'a', 'x'.repeat(MAX_USER_BYTES)]) {
      const iat = Math.floor(Date.now() / 1000);
      const claims = longestClaims(email);
      const common = { email, sid: 'A'.repeat(22), gen: 999_999_999, iat, ...(claims && { claims }) };
      const id = 'u'.repeat(MAX_USER_ID_CHARACTERS);
      const amr = Array<string>(8).fill('m'.repeat(40));
      // The length added by percent-encoding is random.
      for (let n = 0; n < 40; n++) {
        const token = access.issue({ id, ...common, exp: iat + 900, amr, auth_time: 9_999_999_999 });
        if (token.length > MAX_TOKEN_CHARACTERS || !access.read(token).ok)
          t.fail(`${email.slice(0, 2)}: ${token.length} characters`);
        const cookie = refresh.issue({ sub: id, ...common, exp: iat + 604_800, prefix: '__Host-' });
        if (cookie.length > LONGEST_COOKIE || !refresh.read(cookie).ok)
          t.fail(`${email.slice(0, 2)}: a cookie of ${cookie.length} characters`);
      }
      t.pass(`${email.slice(0, 2)}…`);
    }
  });
}

t.test('address and claims share one limit, as encoded in tokens', async (t) => {
  const claims = { a: 'x'.repeat(MAX_CLAIMS_BYTES - 8) };
  t.equal(JSON.stringify(claims).length, MAX_CLAIMS_BYTES);
  t.ok(fitsTokens('e'.repeat(254), claims));
  t.notOk(fitsTokens('e'.repeat(255), claims));
  t.notOk(fitsTokens('é'.repeat(128), claims));
  t.notOk(fitsTokens('"'.repeat(128), claims), 'as JSON escapes them');
  t.ok(fitsTokens('ก'.repeat(254), undefined));
});
