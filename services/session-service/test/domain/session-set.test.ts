// The sessions of one user: start, order, expiry, eviction and encoding.

import fc from 'fast-check';
import t from 'tap';
import { listSessions, sessionEntry } from '../../src/domain/session-entry.js';
import { NOT_REMEMBERED, type SessionRecord } from '../../src/domain/session-record.js';
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
