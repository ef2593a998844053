// What a refresh decides: the rotation rule, case by case, and the claims and lifetimes of its tokens.

import fc from 'fast-check';
import t from 'tap';
import { decideRotation } from '../../src/domain/rotation.js';
import {
  authenticationAttributes,
  authenticationClaims,
  NOT_REMEMBERED,
  passwordAttributes,
  type SessionRecord,
} from '../../src/domain/session-record.js';
import { type SessionMoment, tokenPair } from '../../src/domain/token-pair.js';

// The rotation rule.

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const RULES = { windowMs: 30_000, recoveries: 2, refreshTtlMs: 7 * DAY, notRememberedTtlMs: DAY };
const STRICT = { ...RULES, windowMs: 0 };

const RECORD: SessionRecord = {
  expiresAtMs: NOW + DAY,
  lastUsedAtMs: NOW - DAY,
  createdAtMs: NOW - 3 * DAY,
  absoluteExpiresAtMs: NOW + 20 * DAY,
  rotatedAtMs: NOW - DAY,
  generation: 5,
  used: 4,
  recoveries: [],
  userAgent: 'a browser',
  attributes: { method: 'code' },
};

const ANSWERED = { ...RECORD, lastUsedAtMs: NOW, expiresAtMs: NOW + 7 * DAY };

t.test('a session that does not exist is revoked', async (t) => {
  t.strictSame(decideRotation(undefined, 1, NOW, RULES), { verdict: 'revoked', next: undefined });
});

t.test(
  'a session expires in the exact millisecond of its expiry, whichever generation is presented',
  async (t) => {
    for (const presented of [4, 5, 6]) {
      const record = { ...RECORD, expiresAtMs: NOW };
      t.strictSame(decideRotation(record, presented, NOW, RULES), { verdict: 'expired', next: undefined });
      t.not(decideRotation(record, presented, NOW - 1, RULES).verdict, 'expired');
    }
  },
);

t.test('the current generation rotates once the window is over', async (t) => {
  t.strictSame(decideRotation(RECORD, 5, NOW, RULES), {
    verdict: 'rotated',
    next: { ...ANSWERED, generation: 6, used: 5, rotatedAtMs: NOW },
  });
});

t.test('a session that ends with its browser gets a shorter lifetime, never a longer one', async (t) => {
  const record = { ...RECORD, attributes: { ...RECORD.attributes, ...NOT_REMEMBERED } };
  const longer = { ...RULES, notRememberedTtlMs: 30 * DAY };
  for (const presented of [4, 5, 6]) {
    t.match(decideRotation(record, presented, NOW, RULES), {
      next: { expiresAtMs: NOW + DAY, attributes: { method: 'code', remember: '0' } },
    });
    t.match(decideRotation(record, presented, NOW, longer), { next: { expiresAtMs: NOW + 7 * DAY } });
  }
});

t.test('the first refresh after a login always rotates', async (t) => {
  const fresh = { ...RECORD, generation: 1, used: 0, rotatedAtMs: 0, createdAtMs: NOW };
  t.match(decideRotation(fresh, 1, NOW, RULES), { verdict: 'rotated', next: { generation: 2, used: 1 } });
});

t.test('within the window the current and the previous generation get the current one again', async (t) => {
  for (const agoMs of [0, 1, 29_999]) {
    const record = { ...RECORD, rotatedAtMs: NOW - agoMs };
    for (const [presented, used] of [
      [4, 4],
      [5, 5],
    ] as const) {
      t.strictSame(decideRotation(record, presented, NOW, RULES), {
        verdict: 'current',
        next: { ...ANSWERED, used, rotatedAtMs: NOW - agoMs },
      });
    }
  }
  t.match(decideRotation({ ...RECORD, rotatedAtMs: NOW - 30_000 }, 5, NOW, RULES), { verdict: 'rotated' });
});

t.test('a lost response is recovered after the window', async (t) => {
  t.strictSame(decideRotation(RECORD, 4, NOW, RULES), {
    verdict: 'recovered',
    next: { ...ANSWERED, rotatedAtMs: NOW, recoveries: [{ generation: 5, atMs: NOW }] },
  });
});

t.test('a generation proven used is not recovered', async (t) => {
  for (const rules of [RULES, STRICT]) {
    t.strictSame(decideRotation({ ...RECORD, used: 5 }, 4, NOW, rules), {
      verdict: 'reuse',
      next: undefined,
      unrecovered: 'used',
    });
  }
});

t.test('a presented generation has arrived, also within the window: it is not recovered', async (t) => {
  const rotated = { ...RECORD, rotatedAtMs: NOW };
  const again = decideRotation(rotated, 5, NOW + 1, RULES).next;
  t.match(decideRotation(again, 4, NOW + 29_999, RULES), { verdict: 'current' }, 'a tab that was slower');
  t.strictSame(decideRotation(again, 4, NOW + 30_000, RULES), {
    verdict: 'reuse',
    next: undefined,
    unrecovered: 'used',
  });
  const restored = decideRotation(RECORD, 9, NOW, RULES).next;
  t.match(decideRotation(restored, 8, NOW + 30_000, RULES), { verdict: 'reuse', unrecovered: 'used' });
});

t.test('recoveries are counted by generation, for 24 hours', async (t) => {
  const spent = [
    { generation: 2, atMs: NOW - DAY + 1 },
    { generation: 3, atMs: NOW - 1 },
  ];
  t.strictSame(decideRotation({ ...RECORD, recoveries: spent }, 4, NOW, RULES), {
    verdict: 'reuse',
    next: undefined,
    unrecovered: 'spent',
  });
  t.strictSame(
    decideRotation({ ...RECORD, recoveries: spent }, 4, NOW + 1, RULES).next?.recoveries,
    [spent[1], { generation: 5, atMs: NOW + 1 }],
    'the oldest is forgotten after a day',
  );

  const counted = [
    { generation: 3, atMs: NOW - 2 },
    { generation: 5, atMs: NOW - 1 },
  ];
  t.strictSame(
    decideRotation({ ...RECORD, recoveries: counted }, 4, NOW, RULES).next?.recoveries,
    counted,
    'a generation counted already is recovered again and not counted again',
  );
  t.equal(decideRotation(RECORD, 4, NOW, { ...RULES, recoveries: 0 }).verdict, 'reuse');
});

t.test('an older generation is reuse, even within the window', async (t) => {
  for (const rotatedAtMs of [NOW - DAY, NOW]) {
    for (const presented of [1, 3]) {
      t.strictSame(decideRotation({ ...RECORD, rotatedAtMs }, presented, NOW, RULES), {
        verdict: 'reuse',
        next: undefined,
      });
    }
  }
});

t.test('a newer generation moves the store forward', async (t) => {
  t.strictSame(decideRotation(RECORD, 9, NOW, RULES), {
    verdict: 'rolled_forward',
    next: { ...ANSWERED, generation: 9, used: 9, rotatedAtMs: NOW },
  });
  t.match(decideRotation({ ...RECORD, used: 10 }, 9, NOW, RULES), { next: { used: 10 } }, 'used never falls');
});

t.test('a window of zero is strict single use', async (t) => {
  for (const rotatedAtMs of [0, NOW - DAY, NOW, NOW + 1]) {
    const record = { ...RECORD, rotatedAtMs };
    t.equal(decideRotation(record, 5, NOW, STRICT).verdict, 'rotated');
    t.match(decideRotation(record, 4, NOW, STRICT), { verdict: 'reuse', unrecovered: 'strict' });
    t.equal(decideRotation(record, 6, NOW, STRICT).verdict, 'rolled_forward');
  }
});

t.test("a last rotation in the clock's future opens no window", async (t) => {
  const near = { ...RECORD, rotatedAtMs: NOW + 30_000 };
  const far = { ...RECORD, rotatedAtMs: NOW + 30_001 };
  t.equal(decideRotation(near, 5, NOW, RULES).verdict, 'current');
  t.equal(decideRotation(far, 5, NOW, RULES).verdict, 'rotated');
  t.equal(decideRotation(far, 4, NOW, RULES).verdict, 'recovered');
});

t.test('no granted refresh outlives the absolute expiry', async (t) => {
  const record = { ...RECORD, absoluteExpiresAtMs: NOW + 1000 };
  for (const presented of [4, 5, 6]) {
    t.match(decideRotation(record, presented, NOW, RULES), { next: { expiresAtMs: NOW + 1000 } });
  }
});

// Claims and lifetimes of the tokens from a login or a refresh.

const END_OF_SECOND_MS = 1_800_000_000_999;
const IAT = 1_800_000_000;
const USER = { id: 7, email: 'ann@example.com' };
const LIFETIMES = { accessSeconds: 900, refreshSeconds: 604_800, notRememberedSeconds: 86_400 };

const MOMENT: SessionMoment = {
  sid: 'A'.repeat(22),
  generation: 3,
  nowMs: END_OF_SECOND_MS,
  createdAtMs: END_OF_SECOND_MS - 60_000,
  absoluteExpiresAtMs: END_OF_SECOND_MS + 30 * 86_400_000,
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
        const moment = { ...MOMENT, absoluteExpiresAtMs: END_OF_SECOND_MS + leftMs, attributes };
        const remaining = Math.max(0, Math.floor((END_OF_SECOND_MS + leftMs) / 1000) - IAT);
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
    const claimsOf = (attributes: Readonly<Record<string, string>>) =>
      authenticationClaims(attributes, END_OF_SECOND_MS);
    t.strictSame(claimsOf({}), { amr: ['pwd'], auth_time: IAT });
    t.strictSame(claimsOf(passwordAttributes(END_OF_SECOND_MS + 5000)), { amr: ['pwd'], auth_time: IAT + 5 });
    t.strictSame(claimsOf(authenticationAttributes({})), {}, 'an application that says nothing');
    t.strictSame(claimsOf(authenticationAttributes({ amr: ['otp', 'hwk'] })), { amr: ['otp', 'hwk'] });
    t.strictSame(authenticationAttributes({ auth_time: IAT }), { amr: '', auth_time: `${IAT}000` });
    t.strictSame(claimsOf(authenticationAttributes({ auth_time: IAT })), { auth_time: IAT });
  },
);
