// Both kinds of token: an issued token is read, and nothing else is; and the cache of read tokens.

import crypto, { createHmac } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { createEnvelope, type TokenKind } from '../../../src/crypto/envelope.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { CACHED_TOKENS, CLOCK_TOLERANCE_MS, cacheTokens } from '../../../src/http/tokens/token-codec.js';
import tokens, { type Tokens } from '../../../src/http/tokens/tokens.js';
import type { AccessClaims, RefreshClaims, TokenReading } from '../../../src/schemas/token-claims.js';

const SECRETS: Record<TokenKind, string> = {
  access: 'access-secret-of-the-tests-000001',
  refresh: 'refresh-secret-of-the-tests-00001',
};
const ENCRYPTION_KEY = 'encryption-key-of-the-tests-00001';
const NEW_KEY = 'another-key-of-the-tests-00000002';

const INVALID = { ok: false, reason: 'invalid' };
const EXPIRED = { ok: false, reason: 'expired' };

const nowSeconds = () => Math.floor(Date.now() / 1000);

function accessClaims(changes: Partial<AccessClaims> = {}): AccessClaims {
  const iat = nowSeconds();
  return { id: 1, email: 'demo@example.com', sid: 'A'.repeat(22), gen: 1, iat, exp: iat + 900, ...changes };
}

function refreshClaims(changes: Partial<RefreshClaims> = {}): RefreshClaims {
  const iat = nowSeconds();
  return {
    sub: '1',
    email: 'demo@example.com',
    sid: 'A'.repeat(22),
    gen: 1,
    iat,
    exp: iat + 604_800,
    ...changes,
  };
}

async function buildTokens(
  t: Test,
  { access = SECRETS.access, refresh = SECRETS.refresh, encryption = ENCRYPTION_KEY } = {},
): Promise<Tokens> {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(tokens, {
    accessSecrets: openKeyRing(access),
    refreshSecrets: openKeyRing(refresh),
    encryptionKeys: openKeyRing(encryption),
  });
  await app.ready();
  return app.tokens;
}

const kidOf = (kind: TokenKind) => openKeyRing(SECRETS[kind]).current.id;
const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Builds a token from parts: any header, any claims, any signature, inside a valid envelope. */
function craft(
  header: unknown,
  claims: unknown,
  {
    kind = 'access',
    hash = 'sha256',
    secret = SECRETS[kind],
    signature,
  }: { kind?: TokenKind; hash?: string; secret?: string; signature?: string } = {},
): string {
  const input = `${segment(header)}.${segment(claims)}`;
  const signed = signature ?? createHmac(hash, secret).update(input).digest('base64url');
  return createEnvelope(kind, openKeyRing(ENCRYPTION_KEY)).seal(`${input}.${signed}`);
}

const header = (changes: object = {}, kind: TokenKind = 'access') => ({
  alg: 'HS256',
  typ: 'JWT',
  kid: kidOf(kind),
  ...changes,
});

/** Runs with a different clock of the process, because the verifier has no clock parameter. */
function atLater<T>(seconds: number, read: () => T): T {
  const now = Date.now;
  Date.now = () => now() + seconds * 1000;
  try {
    return read();
  } finally {
    Date.now = now;
  }
}

t.test('an issued token is read with its claims, for both kinds', async (t) => {
  const { access, refresh } = await buildTokens(t);
  const accessed = accessClaims({ id: Number.MAX_SAFE_INTEGER, email: 'é+%@例え.jp', gen: 12 });
  t.strictSame(access.read(access.issue(accessed)), { ok: true, claims: accessed });
  const refreshed = refreshClaims({ sub: '9007199254740991' });
  t.strictSame(refresh.read(refresh.issue(refreshed)), { ok: true, claims: refreshed });
});

t.test('a token contains its claims and nothing else, unreadable without the key', async (t) => {
  const { access } = await buildTokens(t);
  const claims = accessClaims();
  const token = access.issue(claims);
  t.notOk(Buffer.from(decodeURIComponent(token), 'base64').includes('demo'));
  const opened = createEnvelope('access', openKeyRing(ENCRYPTION_KEY)).open(token) ?? '';
  const [head = '', body = ''] = opened.split('.');
  t.strictSame(JSON.parse(Buffer.from(head, 'base64url').toString()), header());
  t.strictSame(JSON.parse(Buffer.from(body, 'base64url').toString()), claims);
});

t.test(
  'a token built like an issued one is read, so the rejections below are due to their changes',
  async (t) => {
    const { access, refresh } = await buildTokens(t);
    t.match(access.read(craft(header(), accessClaims())), { ok: true });
    t.match(refresh.read(craft(header({}, 'refresh'), refreshClaims(), { kind: 'refresh' })), { ok: true });
  },
);

t.test('an access token is never read as a refresh token, nor vice versa', async (t) => {
  const { access, refresh } = await buildTokens(t);
  t.strictSame(refresh.read(access.issue(accessClaims())), INVALID);
  t.strictSame(access.read(refresh.issue(refreshClaims())), INVALID);
  // Not even if the inner token has the right claims and the right secret.
  const kinds = { kind: 'access', secret: SECRETS.refresh } as const;
  t.strictSame(refresh.read(craft(header({}, 'refresh'), refreshClaims(), kinds)), INVALID);
  const both = { ...accessClaims(), ...refreshClaims() };
  t.strictSame(refresh.read(access.issue(both as AccessClaims)), INVALID);
});

t.test('a token in many spellings is verified once, and takes one cache entry', async (t) => {
  const { access } = await buildTokens(t);
  const { createDecipheriv } = crypto;
  t.teardown(() => {
    crypto.createDecipheriv = createDecipheriv;
    syncBuiltinESMExports();
  });
  let decryptions = 0;
  crypto.createDecipheriv = ((...args: Parameters<typeof createDecipheriv>) => {
    decryptions += 1;
    return createDecipheriv(...args);
  }) as typeof createDecipheriv;
  syncBuiltinESMExports();
  const token = access.issue(accessClaims());
  const other = access.issue(accessClaims({ id: 2 }));
  for (const each of [token, other]) t.match(access.read(each), { ok: true });
  const plain = decodeURIComponent(token);
  let refused = 0;
  for (let n = 0; n < 3 * CACHED_TOKENS; n++) {
    const at = n % plain.length;
    const escaped = `${n < plain.length ? '%' : '%25'}${plain.charCodeAt(at).toString(16)}`;
    const spelling = `${plain.slice(0, at)}${escaped}${plain.slice(at + 1)}`;
    refused += Number(!access.read(spelling).ok);
  }
  t.equal(refused, 0);
  t.match(access.read(other), { ok: true }, 'nobody else is displaced');
  t.equal(decryptions, 2);
});

t.test(
  'crafted headers inside a valid envelope are rejected: alg none, other algorithms, crit, key ids',
  async (t) => {
    const { access } = await buildTokens(t);
    const claims = accessClaims();
    const crafted: Record<string, string> = {
      'alg none without a signature': craft(header({ alg: 'none' }), claims, { signature: '' }),
      'alg None with a signature': craft(header({ alg: 'None' }), claims),
      'alg missing': craft({ typ: 'JWT', kid: kidOf('access') }, claims),
      HS384: craft(header({ alg: 'HS384' }), claims, { hash: 'sha384' }),
      HS512: craft(header({ alg: 'HS512' }), claims, { hash: 'sha512' }),
      RS256: craft(header({ alg: 'RS256' }), claims),
      'hs256 in lower case': craft(header({ alg: 'hs256' }), claims),
      'an empty crit': craft(header({ crit: [] }), claims),
      'a crit with an extension': craft(header({ crit: ['b64'], b64: false }), claims),
      'no kid': craft({ alg: 'HS256', typ: 'JWT' }, claims),
      'an empty kid': craft(header({ kid: '' }), claims),
      'an unknown kid': craft(header({ kid: '00000000' }), claims),
      'the kid of the other kind': craft(header({ kid: kidOf('refresh') }), claims),
      'a kid that is a path': craft(header({ kid: '../../dev/null' }), claims, { secret: '' }),
      'a kid that every object has': craft(header({ kid: '__proto__' }), claims),
      'a kid that is no text': craft(header({ kid: [kidOf('access')] }), claims),
      'another typ': craft(header({ typ: 'at+jwt' }), claims),
      'no typ': craft({ alg: 'HS256', kid: kidOf('access') }, claims),
      'one member more': craft(header({ cty: 'JWT' }), claims),
      'a key of its own': craft(header({ jwk: { kty: 'oct', k: 'AA' } }), claims),
      'members in another order': craft({ kid: kidOf('access'), alg: 'HS256', typ: 'JWT' }, claims),
      'a header that is no object': craft('HS256', claims),
    };
    for (const [name, token] of Object.entries(crafted)) t.strictSame(access.read(token), INVALID, name);
  },
);

t.test('crafted signatures and texts inside a valid envelope are rejected', async (t) => {
  const { access } = await buildTokens(t);
  const claims = accessClaims();
  const { seal } = createEnvelope('access', openKeyRing(ENCRYPTION_KEY));
  const valid = createEnvelope('access', openKeyRing(ENCRYPTION_KEY)).open(access.issue(claims)) ?? '';
  const crafted: Record<string, string> = {
    'no signature': craft(header(), claims, { signature: '' }),
    'a shortened signature': seal(valid.slice(0, -4)),
    'another secret': craft(header(), claims, { secret: NEW_KEY }),
    'an empty secret': craft(header(), claims, { secret: '' }),
    "the other kind's secret": craft(header(), claims, { secret: SECRETS.refresh }),
    'the encryption key': craft(header(), claims, { secret: ENCRYPTION_KEY }),
    'other claims under the same signature': seal(
      valid.replace(/\.[^.]+\./, `.${segment(accessClaims({ id: 2 }))}.`),
    ),
    'nothing at all': seal(''),
    'a header alone': seal(valid.slice(0, valid.indexOf('.'))),
    'a header and one character': seal(`${valid.slice(0, valid.indexOf('.'))}x`),
    'a header and dots': seal(`${valid.slice(0, valid.indexOf('.'))}..`),
    'four segments': seal(`${valid}.x`),
    'a line break behind': seal(`${valid}\n`),
    'padding behind': seal(`${valid}=`),
    'claims that are no JSON': seal(valid.replace(/\.[^.]+\./, '.bm8.')),
  };
  for (const [name, token] of Object.entries(crafted)) t.strictSame(access.read(token), INVALID, name);
});

t.test(
  'a missing claim, or one of a wrong type, is rejected despite valid signature and envelope',
  async (t) => {
    const { access, refresh } = await buildTokens(t);
    for (const claim of Object.keys(accessClaims()) as (keyof AccessClaims)[]) {
      const { [claim]: _left, ...others } = accessClaims();
      t.strictSame(access.read(craft(header(), others)), INVALID, `without ${claim}`);
    }
    const wrong: Record<keyof AccessClaims, unknown[]> = {
      id: ['1', 0, -1, 1.5, 2 ** 53, null, true],
      email: ['', 5, null, ['demo@example.com']],
      sid: ['', 'A'.repeat(21), 'A'.repeat(23), `${'A'.repeat(21)}-`, `${'A'.repeat(22)}\n`, 5, null],
      gen: ['1', 0, -1, 1.5, null],
      iat: ['1', -1, 1.5, null],
      exp: ['9999999999', nowSeconds() + 900.5, null, true, [nowSeconds() + 900]],
      amr: ['pwd', [1], [''], ['a b'], ['a,b'], [null], Array(9).fill('pwd'), ['x'.repeat(41)], null],
      auth_time: ['1795309848', 0, -1, 1_795_309_848.5, 1_795_309_848_000, null],
      claims: ['{}', 5, null, [], ['admin'], true],
    };
    for (const [claim, values] of Object.entries(wrong)) {
      for (const value of values) {
        t.strictSame(
          access.read(craft(header(), { ...accessClaims(), [claim]: value })),
          INVALID,
          `${claim} ${value}`,
        );
      }
    }
    const asRefresh = (claims: unknown) =>
      refresh.read(craft(header({}, 'refresh'), claims, { kind: 'refresh' }));
    for (const sub of [1, '', '0', '01', '-1', '1.5', 'a:b', 'x y', '\u0430', 'x'.repeat(65), null]) {
      t.strictSame(asRefresh({ ...refreshClaims(), sub }), INVALID, `sub ${sub}`);
    }
    for (const claims of [null, 'text', 5, [], {}, [accessClaims()]]) {
      t.strictSame(access.read(craft(header(), claims)), INVALID, JSON.stringify(claims));
    }
  },
);

t.test('a token is valid until five seconds after its expiry, and expired from then on', async (t) => {
  t.equal(CLOCK_TOLERANCE_MS, 5000);
  const { access, refresh } = await buildTokens(t);
  const exp = nowSeconds() + 100;
  const token = access.issue(accessClaims({ exp }));
  const fresh = refresh.issue(refreshClaims({ exp }));
  const secondsUntil = exp - Date.now() / 1000;
  const readings: (() => object)[] = [() => access.read(token), () => refresh.read(fresh)];
  for (const read of readings) {
    t.match(read(), { ok: true });
    t.match(atLater(secondsUntil + 4, read), { ok: true });
    t.strictSame(atLater(secondsUntil + 6, read), EXPIRED, 'although it was cached as valid');
  }
  t.strictSame(access.read(access.issue(accessClaims({ exp: nowSeconds() - 7 }))), EXPIRED);
});

t.test('an expired token that is also malformed is invalid, not expired', async (t) => {
  const { access } = await buildTokens(t);
  const old = { exp: nowSeconds() - 100 };
  t.strictSame(access.read(craft(header(), accessClaims(old), { secret: NEW_KEY })), INVALID);
});

t.test('an access token from tomorrow is rejected, one from a clock slightly ahead is not', async (t) => {
  const { access, refresh } = await buildTokens(t);
  const now = nowSeconds();
  const issued = (iat: number) => access.issue(accessClaims({ iat, exp: iat + 900 }));
  t.strictSame(access.read(issued(now + 86_400)), INVALID);
  t.strictSame(access.read(issued(now + 10)), INVALID);
  t.match(access.read(issued(now + 4)), { ok: true });
  const ahead = refresh.issue(refreshClaims({ iat: now + 60 }));
  t.match(refresh.read(ahead), { ok: true }, 'a refresh is decided on the clock of the store');
});

t.test('a secret can be changed in three rollouts without a rejected token', async (t) => {
  const stages = [SECRETS.access, `${SECRETS.access},${NEW_KEY}`, `${NEW_KEY},${SECRETS.access}`, NEW_KEY];
  const nodes = await Promise.all(stages.map((access) => buildTokens(t, { access })));
  const issued = nodes.map(({ access }) => access.issue(accessClaims()));
  const readable = nodes.map(({ access }) => issued.map((token) => access.read(token).ok));
  // Rows: the reading node; columns: the issuing node.
  t.strictSame(readable, [
    [true, true, false, false],
    [true, true, true, true],
    [true, true, true, true],
    [false, false, true, true],
  ]);
  const { kid } = JSON.parse(
    Buffer.from(
      (createEnvelope('access', openKeyRing(ENCRYPTION_KEY)).open(issued[2] ?? '') ?? '').split('.')[0] ?? '',
      'base64url',
    ).toString(),
  );
  t.equal(kid, openKeyRing(NEW_KEY).current.id, 'the new one signs');
});

t.test('the encryption key can be changed in the same way', async (t) => {
  const before = await buildTokens(t);
  const during = await buildTokens(t, { encryption: `${NEW_KEY},${ENCRYPTION_KEY}` });
  const after = await buildTokens(t, { encryption: NEW_KEY });
  const old = before.refresh.issue(refreshClaims());
  const renewed = during.refresh.issue(refreshClaims());
  t.match(during.refresh.read(old), { ok: true });
  t.strictSame(after.refresh.read(old), INVALID);
  t.match(after.refresh.read(renewed), { ok: true });
});

t.test('of 20,000 random and mutated tokens none is read and none throws: one result for all', async (t) => {
  const { access, refresh } = await buildTokens(t);
  const valid = [access.issue(accessClaims()), refresh.issue(refreshClaims())];
  const anyToken = fc.constantFrom(...valid);
  const character = fc.constantFrom(...'AZaz09+/=% -_.!~\0é\n');
  const replaced = fc
    .tuple(anyToken, fc.nat(1000), character)
    .map(([token, at, to]) => token.slice(0, at % token.length) + to + token.slice((at % token.length) + 1));
  const inserted = fc
    .tuple(anyToken, fc.nat(1000), character)
    .map(([token, at, what]) => token.slice(0, at % token.length) + what + token.slice(at % token.length));
  const cut = fc.tuple(anyToken, fc.nat(1000)).map(([token, at]) => token.slice(0, at % token.length));
  const bytes = fc
    .uint8Array({ maxLength: 120 })
    .map((random) => encodeURIComponent(Buffer.from(random).toString('base64')));
  const text = fc.string({ unit: anyCharacter, maxLength: 60 });
  const samples = fc.sample(fc.oneof(replaced, inserted, cut, bytes, text), { numRuns: 20_000, seed: 1 });
  const wrongly: string[] = [];
  for (const token of samples) {
    if (valid.includes(token)) continue;
    for (const kind of [access, refresh]) {
      const reading = kind.read(token);
      if (reading.ok || reading.reason !== 'invalid') wrongly.push(token);
    }
  }
  t.strictSame(wrongly, []);
  t.match(access.read(valid[0] ?? ''), { ok: true });
});

// The token cache: one reading per token, expiry in time, a size limit, and no cached rejections.

interface Claims {
  readonly exp: number;
}

/** Builds a reader of numeric tokens: a positive one is valid until that many milliseconds. */
function build(most: number) {
  const asked: string[] = [];
  const clock = { nowMs: 0 };
  const readToken = (token: string): TokenReading<Claims> => {
    asked.push(token);
    const exp = Number(token);
    if (!(exp > 0)) return { ok: false, reason: 'invalid' };
    return clock.nowMs < exp ? { ok: true, claims: { exp } } : { ok: false, reason: 'expired' };
  };
  const read = cacheTokens(
    readToken,
    most,
    ({ exp }) => exp,
    () => clock.nowMs,
  );
  return { read, asked, clock };
}

t.test('a valid token is read once, and always returns the same reading', async (t) => {
  const { read, asked } = build(2);
  for (let i = 0; i < 3; i++) t.strictSame(read('100'), { ok: true, claims: { exp: 100 } });
  t.strictSame(asked, ['100']);
});

t.test(
  'a cached token expires to the millisecond, and is valid again if the clock is set back',
  async (t) => {
    const { read, clock } = build(2);
    t.match(read('100'), { ok: true });
    clock.nowMs = 99;
    t.match(read('100'), { ok: true });
    clock.nowMs = 100;
    t.strictSame(read('100'), { ok: false, reason: 'expired' });
    clock.nowMs = 50;
    t.match(read('100'), { ok: true });
  },
);

t.test('rejected tokens are not cached, and displace no entry', async (t) => {
  const { read, asked } = build(1);
  read('100');
  for (let i = 0; i < 50; i++) t.strictSame(read('-1'), { ok: false, reason: 'invalid' });
  read('100');
  t.equal(asked.filter((token) => token === '100').length, 1);
});

t.test('a token in use stays cached, an unused one is dropped', async (t) => {
  const { read, asked } = build(2);
  for (const token of ['100', '200', '100', '300', '100', '400', '500', '100', '200'])
    t.match(read(token), { ok: true });
  t.strictSame(asked, ['100', '200', '300', '400', '500', '200']);
});
