// Refresh cookies in a request, the scopes of their duplicates, and device cookies.

import type { RefreshClaims, TokenReading } from '@tollgate/shared/schemas';
import fc from 'fast-check';
import t from 'tap';
import {
  type DeviceLogIn,
  type DeviceVoid,
  deviceClaims,
  deviceKey,
  isForAccount,
  isVoid,
  nextVoid,
} from '../../src/domain/device-claims.js';
import {
  boundedFrom,
  cookieName,
  countingReadings,
  MAX_EXPIRED,
  pathBelow,
  plantableNames,
  presentedSession,
  refuseHostTokens,
  survivingSession,
  twinScopes,
  validSessions,
} from '../../src/domain/presented-cookies.js';

// Selecting the session from the cookies in a request.

type Reading = TokenReading<RefreshClaims>;

const claimsOf = (sub: string, sid: string, gen: number, prefix?: '__Host-'): RefreshClaims => ({
  sub,
  sid,
  gen,
  email: 'ann@example.com',
  iat: 1,
  exp: 2,
  ...(prefix && { prefix }),
});

const valid = (...parts: Parameters<typeof claimsOf>): Reading => ({ ok: true, claims: claimsOf(...parts) });
const INVALID: Reading = { ok: false, reason: 'invalid' };
const EXPIRED: Reading = { ok: false, reason: 'expired' };

const reading = fc.oneof(
  fc.constantFrom(INVALID, EXPIRED),
  fc
    .tuple(fc.constantFrom('1', '2'), fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 }))
    .map((parts) => valid(...parts)),
);
const readings = fc.array(reading, { maxLength: 8 });

t.test('cookie names, and those that other hosts on the site can set', async (t) => {
  t.equal(cookieName(undefined), 'refreshToken');
  t.equal(cookieName('__Host-'), '__Host-refreshToken');
  t.strictSame(plantableNames(undefined), ['refreshToken']);
  t.strictSame(plantableNames('__Secure-'), ['__Secure-refreshToken']);
  t.strictSame(plantableNames('__Host-'), ['refreshToken', '__Secure-refreshToken']);
});

t.test('for each session the highest generation is selected, in cookie order', async (t) => {
  const property = fc.property(readings, (some) => {
    const claims = some.flatMap((one) => (one.ok ? [one.claims] : []));
    const found = validSessions(some);
    const keys = [...new Set(claims.map(({ sub, sid }) => `${sub} ${sid}`))];
    t.strictSame(
      found.map(({ sub, sid }) => `${sub} ${sid}`),
      keys,
    );
    for (const { sub, sid, gen } of found) {
      const same = claims.filter((one) => one.sub === sub && one.sid === sid);
      t.equal(gen, Math.max(...same.map((one) => one.gen)));
    }
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test(
  'one session is selected, several are a conflict, and without one the most specific reason is reported',
  async (t) => {
    const property = fc.property(readings, (some) => {
      const sessions = validSessions(some);
      const presented = presentedSession(some);
      if (sessions.length === 1) t.strictSame(presented, { ok: true, claims: sessions[0] });
      else if (sessions.length > 1) t.strictSame(presented, { ok: false, reason: 'conflict', sessions });
      else {
        const reason = some.length === 0 ? 'missing' : some.includes(EXPIRED) ? 'expired' : 'invalid';
        t.strictSame(presented, { ok: false, reason });
      }
    });
    t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
    const [oneCookie, twice] = [valid('1', 'a', 3), valid('1', 'a', 3)];
    t.match(presentedSession([oneCookie, twice, INVALID, EXPIRED]), { ok: true, claims: { gen: 3 } });
  },
);

t.test('a token issued for __Host- counts under that name only', async (t) => {
  const hosted = valid('1', 'a', 1, '__Host-');
  const older = valid('1', 'b', 1);
  t.strictSame(refuseHostTokens([hosted, older, INVALID, EXPIRED]), [INVALID, older, INVALID, EXPIRED]);
  t.strictSame(countingReadings([], [hosted, older]), [INVALID, older]);
  t.strictSame(countingReadings([EXPIRED], [older, hosted]), [EXPIRED, older, INVALID], 'none is valid');
  t.strictSame(
    countingReadings([INVALID, hosted], [older]),
    [INVALID, hosted],
    'planted cookies do not count',
  );
});

t.test('a conflict is resolved in favour of the only live session', async (t) => {
  const [a, b] = [claimsOf('1', 'a', 1), claimsOf('1', 'b', 1)];
  t.equal(
    survivingSession([a, b], (sid) => sid === 'b'),
    b,
  );
  t.equal(
    survivingSession([a, b], () => false),
    'none',
  );
  t.equal(
    survivingSession([a, b], () => true),
    'several',
  );
});

// Scopes in which refresh cookie duplicates are expired.

const text = ({ domain = '', path, partitioned }: { domain?: string; path: string; partitioned?: boolean }) =>
  `${domain} ${path}${partitioned ? ' partitioned' : ''}`;

t.test('twin scopes cover every prefix of the path, with and without a trailing slash', async (t) => {
  const paths = ['/', '/a', '/a/', '/a/refresh', '/a/refresh/'];
  const domains = ['', 'auth.example.com', 'example.com'];
  const places = domains.flatMap((domain) => paths.map((path) => `${domain} ${path}`));
  t.strictSame(
    twinScopes('auth.example.com', '/a/refresh').map(text).sort(),
    places
      .filter((place) => place !== ' /a/refresh')
      .flatMap((place) => [place, `${place} partitioned`])
      .sort(),
  );
});

t.test('an IP address has no parent domains', async (t) => {
  for (const host of ['127.0.0.1', '[::1]']) {
    t.ok(
      twinScopes(host, '/refresh').every(({ domain }) => domain === undefined),
      host,
    );
  }
});

t.test('a host name with a numeric label has parent domains', async (t) => {
  for (const [host, parents] of [
    ['1.auth.example.com', ['1.auth.example.com', 'auth.example.com', 'example.com']],
    ['auth.node.1', ['auth.node.1', 'node.1']],
    ['localhost', ['localhost']],
  ] as const) {
    const domains = new Set(twinScopes(host, '/refresh').map(({ domain }) => domain));
    t.strictSame([...domains], [undefined, ...parents]);
  }
});

t.test('the cookie path begins with the path of the public URL, without its trailing slashes', async (t) => {
  for (const [url, path] of [
    ['https://auth.example.com', '/refresh'],
    ['https://auth.example.com/', '/refresh'],
    ['https://example.com/a/b//', '/a/b/refresh'],
    ['https://example.com//a', '//a/refresh'],
  ] as const) {
    t.equal(pathBelow(url, '/refresh'), path);
  }
});

t.test("each response expires some of a deep URL's many scopes, and all of them in turn", async (t) => {
  const scopes = twinScopes('a.b.c.d.example.com', '/x/y/z/refresh');
  t.ok(scopes.length > 2 * MAX_EXPIRED, `${scopes.length}`);
  const seen = new Set<string>();
  for (const start of scopes.keys()) {
    const part = boundedFrom(scopes, start);
    t.equal(part.length, MAX_EXPIRED);
    for (const scope of part) seen.add(text(scope));
  }
  t.equal(seen.size, scopes.length);
  const most = Array.from({ length: MAX_EXPIRED }, (_, at) => at);
  t.strictSame(boundedFrom(most, 3), most);
  const few = twinScopes('auth.example.com', '/refresh');
  t.strictSame(boundedFrom(few, 3).map(text).sort(), few.map(text).sort());
});

// Device cookies: bindings and voids, for any account, user and time.

const TTL = 3600;
const logIn: fc.Arbitrary<DeviceLogIn> = fc.record({
  key: fc.string({ minLength: 1 }),
  user: fc.record({ id: fc.integer({ min: 1 }), hash: fc.string() }),
  sid: fc.stringMatching(/^[A-Za-z0-9]{22}$/),
  nowMs: fc.integer({ min: 0, max: 2 ** 45 }),
});

t.test(
  'a cookie is valid for its account until it expires, by its own lifetime and by the current one',
  async (t) => {
    const property = fc.property(
      logIn,
      fc.string(),
      fc.integer({ min: 1, max: 2 * TTL }),
      (one, other, ttl) => {
        const claims = deviceClaims(one, TTL);
        const shorterMs = Math.min(TTL, ttl) * 1000;
        const found = [
          isForAccount(claims, one.key, one.nowMs + shorterMs - 1, ttl),
          isForAccount(claims, one.key, one.nowMs + shorterMs, ttl),
          isForAccount(claims, other, one.nowMs, ttl),
        ];
        return found.join() === [true, false, other === one.key].join();
      },
    );
    t.doesNotThrow(() => fc.assert(property));
  },
);

t.test('another id or password hash voids it', async (t) => {
  const property = fc.property(logIn, logIn, (one, { user }) => {
    const claims = deviceClaims(one, TTL);
    const isSame = user.id === one.user.id && user.hash === one.user.hash;
    return (
      !isVoid(claims, one.user, undefined) &&
      isVoid(claims, user, undefined) === !isSame &&
      isVoid(claims, { ...one.user, hash: `${one.user.hash}x` }, undefined)
    );
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test('a later void voids it, except for the session that requested the void', async (t) => {
  const property = fc.property(logIn, fc.integer({ min: -5, max: 5 }), (one, laterMs) => {
    const claims = deviceClaims(one, TTL);
    const atMs = one.nowMs + laterMs;
    return (
      isVoid(claims, one.user, { atMs, exceptSid: undefined }) === laterMs >= 0 &&
      isVoid(claims, one.user, { atMs, exceptSid: 'another' }) === laterMs >= 0 &&
      !isVoid(claims, one.user, { atMs, exceptSid: one.sid })
    );
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test('a void cookie remains void, whichever session requests the next void', async (t) => {
  const asker = fc.constantFrom('a'.repeat(22), 'b'.repeat(22), undefined);
  const user = { id: 1, hash: 'hash' };
  const property = fc.property(fc.array(asker, { maxLength: 8 }), fc.nat(8), (askers, issuedAt) => {
    const claims = ['a', 'b'].map((letter) =>
      deviceClaims({ key: 'ann@example.com', user, sid: letter.repeat(22), nowMs: issuedAt }, TTL),
    );
    let latest: DeviceVoid | undefined;
    const wasVoid = claims.map(() => false);
    return askers.every((exceptSid, step) => {
      // Some cookies are issued in the same millisecond as a void.
      const atMs = step;
      latest = nextVoid(latest, atMs, exceptSid);
      return claims.every((one, place) => {
        if (one.issuedAtMs <= atMs && one.sid !== exceptSid) wasVoid[place] = true;
        return isVoid(one, user, latest) === wasVoid[place];
      });
    });
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test('a void keeps an earlier one only for the session that remains known', async (t) => {
  const voided = { atMs: 1, exceptSid: 'a' };
  t.strictSame(nextVoid(undefined, 5, 'a'), { atMs: 5, exceptSid: 'a' });
  t.strictSame(nextVoid(voided, 5, undefined), { atMs: 5, exceptSid: undefined });
  t.strictSame(nextVoid(voided, 5, 'a'), { atMs: 5, exceptSid: 'a' });
  t.strictSame(nextVoid(voided, 5, 'b'), { atMs: 5, exceptSid: 'b', voidUntilMs: 1 });
});

t.test('two cookies of one account share no text, and name no account', async (t) => {
  const user = { id: 1, hash: 'hash' };
  const [one, other] = ['a', 'b'].map((letter) =>
    deviceClaims({ key: 'ann@example.com', user, sid: letter.repeat(22), nowMs: 1 }, TTL),
  );
  t.not(one?.account, other?.account);
  t.not(one?.password, other?.password);
  t.match(one, { account: /^[0-9a-f]{32}$/, password: /^[0-9a-f]{32}$/ });
  t.notMatch(JSON.stringify(one), 'ann');
  t.equal(deviceKey({ sid: 'a'.repeat(22) }), `Device ${'a'.repeat(22)}`);
});
