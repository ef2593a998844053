// Maps with a bound: insertion order, recent use, and revoked session ids for their time.

import fc from 'fast-check';
import t from 'tap';
import { createBoundedMap, createLruCache } from '../../src/cache/bounded-maps.js';
import { createRevokedIds } from '../../src/sessions/revocation-follower.js';

t.test('above the bound the oldest entry is dropped', async (t) => {
  const map = createBoundedMap<number>(2);
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) map.set(key, at);
  t.equal(map.get('b'), undefined);
  t.equal(map.get('a'), 2);
  t.equal(map.get('c'), 3);
});

t.test('after many drops exactly the newest entries remain', async (t) => {
  const most = 100;
  const map = createBoundedMap<number>(most);
  // The newest last. Every third entry repeats a present or a dropped one.
  let expected: string[] = [];
  for (let n = 0; n < 20_000; n++) {
    const key = `${n % 3 === 0 ? (n * 7919) % 250 : n}`;
    map.set(key, n);
    expected = [...expected.filter((other) => other !== key), key].slice(-most);
    if (n % 500 !== 0) continue;
    t.ok(
      expected.every((kept) => map.get(kept) !== undefined),
      `${n}: all of the newest are there`,
    );
    const held = Array.from({ length: n + 250 }, (_, at) => map.get(`${at}`)).filter(
      (value) => value !== undefined,
    );
    t.equal(held.length, expected.length, `${n}: nothing else is there`);
  }
});

// The cache keeps recently used entries and never grows beyond its bound.

t.test('the most recent entries are kept, older ones are not', async (t) => {
  const map = createLruCache<number>(3);
  for (let n = 0; n < 100; n++) {
    map.set(`${n}`, n);
    t.equal(map.get(`${n}`), n);
    for (const recent of [n - 1, n - 2].filter((n) => n >= 0)) t.equal(map.get(`${recent}`), recent);
  }
  const kept = Array.from({ length: 100 }, (_, n) => map.get(`${n}`)).filter((value) => value !== undefined);
  t.ok(kept.length <= 6, `${kept.length} are kept`);
});

t.test('a frequently used entry outlives any number of others', async (t) => {
  const map = createLruCache<number>(3);
  map.set('asked', 7);
  for (let n = 0; n < 100; n++) {
    map.set(`${n}`, n);
    t.equal(map.get('asked'), 7);
  }
});

t.test('a value can be replaced, and an unknown key has none', async (t) => {
  const map = createLruCache<string>(2);
  map.set('a', 'one');
  map.set('a', 'two');
  t.equal(map.get('a'), 'two');
  t.equal(map.get('b'), undefined);
  t.equal(map.get('__proto__'), undefined);
});

// Revoked session ids in memory.

t.test('an id is rejected at least for its time, and memory is bounded by time', async (t) => {
  const step = fc.record({
    sid: fc.integer({ min: 0, max: 20 }).map(String),
    afterMs: fc.nat(400),
    // Some nodes already have another ACCESS_TTL.
    keepMs: fc.constantFrom(300, 1000, 5000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let nowMs = 0;
      const ids = createRevokedIds(() => nowMs);
      const ends = new Map<string, number>();
      for (const { sid, afterMs, keepMs } of steps) {
        nowMs += afterMs;
        ids.add([sid], keepMs);
        ends.set(sid, Math.max(nowMs + keepMs, ends.get(sid) ?? 0));
        const live = [...ends].filter(([, endMs]) => endMs > nowMs).map(([id]) => id);
        if (!live.every((id) => ids.has(id)) || ids.size !== live.length) return false;
      }
      return true;
    }),
  );
  t.pass('for 100 histories');
});

t.test('a shorter time does not shorten an earlier one', async (t) => {
  let nowMs = 0;
  const ids = createRevokedIds(() => nowMs);
  ids.add(['a'], 1000);
  ids.add(['a'], 10);
  nowMs = 500;
  ids.add(['b'], 1000);
  t.equal(ids.has('a'), true);
});

t.test('an entry that expires sooner is removed before an older one that expires later', async (t) => {
  let nowMs = 0;
  const ids = createRevokedIds(() => nowMs);
  ids.add(['long'], 960_000);
  ids.add(['short'], 61_000);
  nowMs = 61_000;
  ids.add(['next'], 61_000);
  t.strictSame(
    ['long', 'short', 'next'].filter((sid) => ids.has(sid)),
    ['long', 'next'],
  );
  t.equal(ids.size, 2);
});
