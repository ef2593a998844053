// An idle follower reads the log rarely, and still knows every revocation at the next check.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import { until } from '@tollgate/test-support/until.js';
import t from 'tap';
import { openRevocationLog } from '../../src/sessions/open-revocation-log.js';
import { followRevocations } from '../../src/sessions/revocation-follower.js';
import type { RevocationLog, RevocationWait } from '../../src/sessions/revocation-log.js';
import type { Store } from '../../src/store/open-store.js';

const KEEP_MS = 960_000;
const MINUTE_MS = 60_000;

/** A follower with a clock controlled by the test, and the waits of its reads. */
function restingFollower(t: { teardown(end: () => unknown): void }, store: Store) {
  const log = openRevocationLog(store);
  const waits: RevocationWait[] = [];
  const observed: RevocationLog = {
    ...log,
    async openTail() {
      const tail = await log.openTail();
      return {
        next(position, wait) {
          waits.push(wait);
          return tail.next(position, wait);
        },
        close: () => tail.close(),
      };
    },
  };
  let aheadMs = 0;
  const follower = followRevocations(observed, { info() {}, warn() {} }, () => performance.now() + aheadMs);
  t.teardown(() => follower.stop());
  return {
    log,
    follower,
    waits,
    pass: (ms: number) => {
      aheadMs += ms;
    },
  };
}

t.test('a session revoked while the follower was idle is rejected at the first check', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { log, follower, waits, pass } = restingFollower(t, store);
    await follower.caughtUp();
    t.equal(await follower.isRevoked('ended'), false);
    await until(() => waits.includes('brief'), 'the log is read often');
    t.notOk(waits.includes('long'));
    pass(MINUTE_MS);
    await until(() => waits.at(-1) === 'long', 'the log is read seldom');

    await log.append({ sids: ['ended'], keepMs: KEEP_MS });
    pass(MINUTE_MS);
    t.equal(await follower.isRevoked('ended'), true);
    t.equal(await follower.isRevoked('lives'), false);
    t.equal(follower.lagSeconds(), 0);
  });
});

t.test("a check detects an idle follower's dead connection", async (t) => {
  const { store, redis } = await redisStore(t);
  const { follower, waits, pass } = restingFollower(t, store);
  await follower.caughtUp();
  pass(MINUTE_MS);
  await until(() => waits.at(-1) === 'long', 'the log is read seldom');
  await redis.client.client('PAUSE', 3000, 'ALL');
  pass(MINUTE_MS);
  t.equal(await follower.isRevoked('lives'), false, 'the memory decides');
  await until(() => follower.lagSeconds() > 0, 'the log is lost');
  await follower.caughtUp();
});
