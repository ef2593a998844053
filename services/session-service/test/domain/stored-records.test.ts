// The texts of stored records: sessions, end notes, account events and sign-in codes; and the sessions of one user.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import {
  type AccountEvent,
  BUCKETS,
  bucketOf,
  formatAccountEvent,
  parseAccountEvent,
} from '../../src/domain/account-event.js';
import {
  addSessionEnds,
  expiredEnd,
  formatSessionEnds,
  MAX_NOTES,
  parseSessionEnd,
  parseSessionEnds,
  type SessionEnd,
} from '../../src/domain/session-end.js';
import { listSessions, sessionEntry } from '../../src/domain/session-entry.js';
import {
  cleanUserAgent,
  formatSessionRecord,
  NOT_REMEMBERED,
  parseSessionRecord,
  type SessionRecord,
} from '../../src/domain/session-record.js';
import {
  dropExpired,
  evict,
  formatSessionSet,
  isLive,
  latestExpiryMs,
  newSession,
  parseSessionSet,
  type SessionSet,
} from '../../src/domain/session-set.js';
import { formatSignInCode, parseSignInCode } from '../../src/domain/sign-in-code.js';

// Session records.

const time = fc.integer({ min: 1_000_000_000_000, max: 1_999_999_999_999 });
const generation = fc.integer({ min: 1, max: 1_000_000 });

const sessionRecord = fc.record(
  {
    expiresAtMs: time,
    lastUsedAtMs: time,
    createdAtMs: time,
    absoluteExpiresAtMs: time,
    rotatedAtMs: fc.oneof(fc.constant(0), time),
    generation,
    used: fc.nat(1_000_000),
    recoveries: fc.array(fc.record({ generation, atMs: time }, { noNullPrototype: true }), { maxLength: 5 }),
    userAgent: fc.string({ unit: anyCharacter, maxLength: 300 }).map(cleanUserAgent),
    attributes: fc.dictionary(fc.stringMatching(/^[a-z_]{1,9}$/), fc.stringMatching(/^[!-~]{0,40}$/), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  },
  { noNullPrototype: true },
);

t.test('decoding a record returns the original', async (t) => {
  fc.assert(
    fc.property(sessionRecord, (value) => {
      const text = formatSessionRecord(value);
      t.strictSame(parseSessionRecord(text), value);
      t.notMatch(text, /[\r\n]/);
    }),
  );
});

t.test('the encoding has the documented order', async (t) => {
  t.equal(
    formatSessionRecord({
      expiresAtMs: 1,
      lastUsedAtMs: 2,
      createdAtMs: 3,
      absoluteExpiresAtMs: 4,
      rotatedAtMs: 5,
      generation: 6,
      used: 7,
      userAgent: 'a b  c',
      attributes: { one: '1', two: 'a=b' },
      recoveries: [
        { generation: 8, atMs: 9 },
        { generation: 10, atMs: 11 },
      ],
    }),
    '1 2 3 4 5 6 7 8:9,10:11 a b  c\tone=1 two=a=b',
  );
});

t.test('an attribute that would corrupt the record is rejected', async (t) => {
  const text = '1 2 3 4 5 6 7 - agent';
  const stored = parseSessionRecord(text);
  t.equal(formatSessionRecord(stored), text, 'without attributes the record is as before');
  for (const attributes of [
    { a: 'b c' },
    { a: 'b\n' },
    { a: 'b\t' },
    { a: 'é' },
    { 'a b': '1' },
    { '': '1' },
  ]) {
    t.throws(() => formatSessionRecord({ ...stored, attributes }), RangeError);
  }
});

t.test('any other text is not a record', async (t) => {
  for (const text of [
    '',
    'x',
    '1 2 3 4 5 6 7 -',
    '1 2 3 4 5 6 x - agent',
    '-1 2 3 4 5 6 7 - agent',
    '1 2 3 4 5 6 7 - agent\ta=1\nb',
  ]) {
    t.throws(() => parseSessionRecord(text), SyntaxError);
  }
});

t.test('a user agent becomes one short printable line', async (t) => {
  t.equal(cleanUserAgent(' Mozilla/5.0\r\n (X11)\0\t\u001b[31m '), 'Mozilla/5.0 (X11)[31m');
  t.equal(cleanUserAgent('a\u202eb\u2028c\ud800d'), 'abcd');
  t.equal(cleanUserAgent('x'.repeat(500)), 'x'.repeat(200));
  t.equal(cleanUserAgent('😀'.repeat(500)), '😀'.repeat(200), 'characters are not cut in two');
  t.equal(cleanUserAgent(''), '');
});

// The sessions of one user: start, order, expiry, eviction and encoding.

const NOW = 1_800_000_000_000;
const RULES = { refreshTtlMs: 5000, notRememberedTtlMs: 3000, maxAgeMs: 9000 };

const sessionAt = (lastUsedAtMs: number, expiresAtMs = NOW + 1): SessionRecord => ({
  ...newSession('a browser', NOW - 1000, RULES),
  lastUsedAtMs,
  expiresAtMs,
});

const set: fc.Arbitrary<SessionSet> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.nat(3), fc.integer({ min: -2, max: 2 })), {
    selector: ([sid]) => sid,
  })
  .map((list) => new Map(list.map(([sid, used, left]) => [sid, sessionAt(NOW - used, NOW + left)])));

t.test('a login starts a session at the first generation, with its lifetimes', async (t) => {
  t.strictSame(newSession(' a\tbrowser ', NOW, RULES), {
    expiresAtMs: NOW + 5000,
    lastUsedAtMs: NOW,
    createdAtMs: NOW,
    absoluteExpiresAtMs: NOW + 9000,
    rotatedAtMs: 0,
    generation: 1,
    used: 0,
    recoveries: [],
    userAgent: 'abrowser',
    attributes: {},
  });
  t.equal(newSession('', NOW, RULES, NOT_REMEMBERED).expiresAtMs, NOW + 3000);
  t.equal(newSession('', NOW, { ...RULES, maxAgeMs: 10 }).expiresAtMs, NOW + 10, 'never beyond its age');
});

t.test('a session is live before the millisecond of its expiry, and is removed from then on', async (t) => {
  const property = fc.property(set, (sessions) => {
    const before = new Map(sessions);
    const dropped = dropExpired(sessions, NOW);
    for (const [sid, record] of before) {
      const live = record.expiresAtMs > NOW;
      t.equal(isLive(record, NOW), live);
      t.equal(sessions.has(sid), live);
      t.equal(
        dropped.some(([gone, same]) => gone === sid && same === record),
        !live,
      );
    }
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test('the least recently used sessions are evicted, by id when equal, never the new one', async (t) => {
  const property = fc.property(
    set,
    fc.constantFrom(...'abcx'),
    fc.integer({ min: 1, max: 5 }),
    (all, kept, max) => {
      const sessions = new Map(all);
      const order = [...all]
        .filter(([sid]) => sid !== kept)
        .map(([sid, { lastUsedAtMs }]) => `${lastUsedAtMs} ${sid}`)
        .sort();
      const evicted = evict(sessions, kept, max);
      const count = Math.min(order.length, Math.max(0, all.size - max));
      t.strictSame(
        evicted.map((sid) => `${all.get(sid)?.lastUsedAtMs} ${sid}`),
        order.slice(0, count),
      );
      t.strictSame(
        [...sessions.keys()],
        [...all.keys()].filter((sid) => !evicted.includes(sid)),
      );
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});

t.test('live sessions are listed, the most recently used first, by id when equal', async (t) => {
  const property = fc.property(set, (sessions) => {
    const expected = [...sessions]
      .filter(([, { expiresAtMs }]) => expiresAtMs > NOW)
      .map(([sid, { lastUsedAtMs }]) => `${NOW - lastUsedAtMs} ${sid}`)
      .sort();
    t.strictSame(
      listSessions(sessions, NOW).map(({ sid, lastUsedAtMs }) => `${NOW - lastUsedAtMs} ${sid}`),
      expected,
    );
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
  const [listed] = listSessions(new Map([['a', sessionAt(NOW - 5000, NOW + 60_000)]]), NOW);
  const entryOf = (sid?: string) => listed && sessionEntry(listed, sid);
  const entry = {
    id: 'a',
    created_at: '2027-01-15T07:59:59+00:00',
    last_used_at: '2027-01-15T07:59:55+00:00',
    expires_at: '2027-01-15T08:01:00+00:00',
    user_agent: 'a browser',
  };
  t.strictSame(entryOf('a'), { ...entry, current: true });
  t.strictSame(entryOf('b'), { ...entry, current: false });
  t.strictSame(entryOf(), { ...entry, current: false });
});

t.test('the last expiry of the set, and its encoding', async (t) => {
  const property = fc.property(set, (sessions) => {
    if (sessions.size === 0) return;
    const times = [...sessions.values()].map(({ expiresAtMs }) => expiresAtMs);
    t.equal(latestExpiryMs(sessions), times.sort((a, b) => b - a)[0]);
    const text = formatSessionSet(sessions);
    t.equal(text.split('\n').length, sessions.size);
    t.strictSame([...parseSessionSet(text)], [...sessions]);
  });
  t.doesNotThrow(() => fc.assert(property));
  t.equal(parseSessionSet(undefined).size, 0);
});

// Session end notes: their text and their retention.

const sid = fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 22, maxLength: 22 });
const atMs = fc.integer({ min: 1_000_000_000_000, max: 1_999_999_999_999 });
const address = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });

const plain = fc.record(
  { sid, atMs, reason: fc.constantFrom('logout' as const, 'evicted' as const), address },
  { requiredKeys: ['sid', 'atMs', 'reason'], noNullPrototype: true },
);

const reuse = fc.record(
  {
    sid,
    atMs,
    reason: fc.constant('reuse' as const),
    address,
    presented: generation,
    current: generation,
    unrecovered: fc.constantFrom('used' as const, 'strict' as const, 'spent' as const),
  },
  {
    requiredKeys: ['sid', 'atMs', 'reason', 'address', 'presented', 'current'],
    noNullPrototype: true,
  },
);

const ends = fc.array<SessionEnd>(fc.oneof(plain, reuse), { minLength: 1, maxLength: 10 });

t.test('decoding notes returns the originals', async (t) => {
  fc.assert(fc.property(ends, (some) => t.strictSame(parseSessionEnds(formatSessionEnds(some)), some)));
  t.strictSame(parseSessionEnds(undefined), []);
});

t.test('a note without an address is read', async (t) => {
  t.strictSame(parseSessionEnd('5 a logout'), { sid: 'a', atMs: 5, reason: 'logout' });
});

t.test('a session without a timely refresh has expired, or reached its maximum age', async (t) => {
  const endOf = (expiresAtMs: number) => expiredEnd('a', { expiresAtMs, absoluteExpiresAtMs: 9 });
  t.strictSame(endOf(8), { sid: 'a', atMs: 8, reason: 'expired' });
  t.strictSame(endOf(9), { sid: 'a', atMs: 9, reason: 'max_age' });
});

t.test('the newest notes come first; old ones and those beyond the limit are dropped', async (t) => {
  const end = (at: number): SessionEnd => ({ sid: `s${at}`, atMs: at, reason: 'logout' });
  t.strictSame(addSessionEnds([end(3), end(2), end(1)], [end(4), end(5)], 2), [end(5), end(4), end(3)]);
  const many = Array.from({ length: MAX_NOTES }, (_, at) => end(MAX_NOTES - at));
  const kept = addSessionEnds(many, [end(MAX_NOTES + 1)], 0);
  t.equal(kept.length, MAX_NOTES);
  t.strictSame([kept[0], kept.at(-1)], [end(MAX_NOTES + 1), end(2)]);
});

// Account events and sign-in codes.

const pseudonym = fc.stringMatching(/^[0-9a-f]{32}$/);
const uid = fc.oneof(fc.integer({ min: 1, max: 2 ** 40 }), fc.constantFrom('u-1', 'ann@example.com'));

const accountEvent = fc.record(
  {
    atMs: fc.integer({ min: 1, max: 2 ** 41 }),
    event: fc.constantFrom('login' as const, 'login_failed' as const, 'login_refused' as const),
    reason: fc.constantFrom('wrong_password', 'challenge_required'),
    account: pseudonym,
    address: pseudonym,
    uid,
    sid: fc.stringMatching(/^[A-Za-z0-9]{22}$/),
  },
  { requiredKeys: ['atMs', 'event', 'account'], noNullPrototype: true },
);

t.test('decoding an event returns the original', async (t) => {
  const property = fc.property(accountEvent, ({ atMs, ...rest }) => {
    const decoded: AccountEvent = parseAccountEvent(`${atMs} ${formatAccountEvent(rest)}`);
    t.strictSame(decoded, { atMs, ...rest });
  });
  t.doesNotThrow(() => fc.assert(property));
  const account = 'f'.repeat(32);
  t.equal(formatAccountEvent({ event: 'login', account }), `login ${account} - - -`);
  t.strictSame(parseAccountEvent(`5 login ${account}`), { atMs: 5, event: 'login', account });
});

t.test('accounts are assigned to buckets by the first eight digits of their pseudonym', async (t) => {
  t.equal(bucketOf(`${'0'.repeat(8)}${'f'.repeat(24)}`), 0);
  t.equal(bucketOf(`00000400${'f'.repeat(24)}`), 0);
  t.equal(bucketOf(`0000040a${'0'.repeat(24)}`), 10);
  t.equal(bucketOf('f'.repeat(32)), BUCKETS - 1);
});

t.test('decoding a sign-in code returns the original', async (t) => {
  const property = fc.property(
    uid,
    fc.nat(),
    fc.dictionary(fc.constantFrom('amr', 'remember'), fc.stringMatching(/^[!-~]{0,9}$/), {
      noNullPrototype: true,
    }),
    (uid, createdAtMs, attributes) => {
      const code = { uid, createdAtMs, origin: 'https://app.example.com', attributes };
      t.strictSame(parseSignInCode(formatSignInCode(code)), code);
    },
  );
  t.doesNotThrow(() => fc.assert(property));
});
