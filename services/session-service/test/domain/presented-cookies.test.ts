// Selecting the session from the cookies in a request.

import type { RefreshClaims, TokenReading } from '@tollgate/shared/schemas';
import fc from 'fast-check';
import t from 'tap';
import {
  cookieName,
  countingReadings,
  plantableNames,
  presentedSession,
  refuseHostTokens,
  survivingSession,
  validSessions,
} from '../../src/domain/presented-cookies.js';

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
