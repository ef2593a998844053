// Session end notes: their text and their retention.

import fc from 'fast-check';
import t from 'tap';
import {
  addSessionEnds,
  expiredEnd,
  formatSessionEnds,
  MAX_NOTES,
  parseSessionEnd,
  parseSessionEnds,
  type SessionEnd,
} from '../../src/domain/session-end.js';

const sid = fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 22, maxLength: 22 });
const atMs = fc.integer({ min: 1_000_000_000_000, max: 1_999_999_999_999 });
const address = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
const generation = fc.integer({ min: 1, max: 1_000_000 });
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
