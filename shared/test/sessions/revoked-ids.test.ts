// The memory of ended sessions.

import fc from 'fast-check';
import t from 'tap';
import { createRevokedIds } from '../../src/sessions/revoked-ids.js';

t.test('an id is refused for its time at least, and memory is bounded by time', async (t) => {
  const step = fc.record({ sid: fc.integer({ min: 0, max: 20 }).map(String), afterMs: fc.nat(400) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let nowMs = 0;
      const ids = createRevokedIds(() => nowMs);
      const ends = new Map<string, number>();
      for (const { sid, afterMs } of steps) {
        nowMs += afterMs;
        ids.add([sid], 1000);
        ends.set(sid, nowMs + 1000);
        const live = [...ends].filter(([, endMs]) => endMs > nowMs).map(([id]) => id);
        if (!live.every((id) => ids.has(id)) || ids.size !== live.length) return false;
      }
      return true;
    }),
  );
  t.pass('for 100 histories');
});

t.test('a shorter time does not shorten what was said before', async (t) => {
  let nowMs = 0;
  const ids = createRevokedIds(() => nowMs);
  ids.add(['a'], 1000);
  ids.add(['a'], 10);
  nowMs = 500;
  ids.add(['b'], 1000);
  t.equal(ids.has('a'), true);
});
