// Revoked session ids in memory.

import fc from 'fast-check';
import t from 'tap';
import { createRevokedIds } from '../../src/sessions/revocation-follower.js';

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
