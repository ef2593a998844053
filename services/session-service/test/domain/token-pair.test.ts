// Claims and lifetimes of the tokens from a login or a refresh.

import fc from 'fast-check';
import t from 'tap';
import {
  authenticationAttributes,
  authenticationClaims,
  NOT_REMEMBERED,
  passwordAttributes,
} from '../../src/domain/session-record.js';
import { type SessionMoment, tokenPair } from '../../src/domain/token-pair.js';

const NOW = 1_800_000_000_999;
const IAT = 1_800_000_000;
const USER = { id: 7, email: 'ann@example.com' };
const LIFETIMES = { accessSeconds: 900, refreshSeconds: 604_800, notRememberedSeconds: 86_400 };
const MOMENT: SessionMoment = {
  sid: 'A'.repeat(22),
  generation: 3,
  nowMs: NOW,
  createdAtMs: NOW - 60_000,
  absoluteExpiresAtMs: NOW + 30 * 86_400_000,
  attributes: {},
};

t.test('both tokens name the user, the session and its generation', async (t) => {
  const common = { email: USER.email, sid: MOMENT.sid, gen: 3, iat: IAT };
  t.strictSame(tokenPair(USER, MOMENT, LIFETIMES), {
    access: { id: 7, ...common, exp: IAT + 900, amr: ['pwd'], auth_time: IAT - 60 },
    refresh: { sub: '7', ...common, exp: IAT + 604_800 },
    expiresIn: 900,
    cookieMaxAge: 604_800,
  });
  const claims = { role: 'admin' };
  const pair = tokenPair({ ...USER, claims }, MOMENT, LIFETIMES);
  t.strictSame([pair.access.claims, pair.refresh.claims], [claims, claims]);
});

t.test(
  'no token outlives the session, or the shorter lifetime of a session that ends with its browser',
  async (t) => {
    const seconds = fc.integer({ min: 1, max: 1000 });
    const left = fc.integer({ min: -1000, max: 1_000_000 });
    const property = fc.property(
      seconds,
      seconds,
      seconds,
      left,
      fc.boolean(),
      (access, refresh, short, leftMs, kept) => {
        const lifetimes = { accessSeconds: access, refreshSeconds: refresh, notRememberedSeconds: short };
        const attributes = kept ? {} : NOT_REMEMBERED;
        const moment = { ...MOMENT, absoluteExpiresAtMs: NOW + leftMs, attributes };
        const remaining = Math.max(0, Math.floor((NOW + leftMs) / 1000) - IAT);
        const pair = tokenPair(USER, moment, lifetimes);
        const lifetime = Math.min(refresh, remaining, kept ? Number.POSITIVE_INFINITY : short);
        t.equal(pair.expiresIn, Math.min(access, remaining));
        t.equal(pair.access.exp, IAT + pair.expiresIn);
        t.equal(pair.refresh.exp, IAT + lifetime);
        t.equal(pair.cookieMaxAge, kept ? lifetime : undefined);
      },
    );
    t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
  },
);

t.test(
  'the authentication is the password at the start, unless an application provides another',
  async (t) => {
    const claimsOf = (attributes: Readonly<Record<string, string>>) => authenticationClaims(attributes, NOW);
    t.strictSame(claimsOf({}), { amr: ['pwd'], auth_time: IAT });
    t.strictSame(claimsOf(passwordAttributes(NOW + 5000)), { amr: ['pwd'], auth_time: IAT + 5 });
    t.strictSame(claimsOf(authenticationAttributes({})), {}, 'an application that says nothing');
    t.strictSame(claimsOf(authenticationAttributes({ amr: ['otp', 'hwk'] })), { amr: ['otp', 'hwk'] });
    t.strictSame(authenticationAttributes({ auth_time: IAT }), { amr: '', auth_time: `${IAT}000` });
    t.strictSame(claimsOf(authenticationAttributes({ auth_time: IAT })), { auth_time: IAT });
  },
);
