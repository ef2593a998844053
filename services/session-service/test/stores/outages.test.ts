// Redis stopped and started with its data: nobody is logged out, and revocations are written later.

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { followRevocations, LOG_START, openRevocationLog } from '@tollgate/shared/sessions';
import { openStore, StoreUnavailableError } from '@tollgate/shared/store';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import { createRevoker } from '../../src/stores/revoker.js';
import type { SessionStore } from '../../src/stores/session-store.js';
import { AGENT, RULES } from '../support/session-rules.js';

const USERS = 30;
const LONGEST_RETURN_MS = 15_000;
const quiet = { info() {}, warn() {}, error() {} };

interface Interrupted {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

t.test('a Redis restart during refreshes logs nobody out', async (t) => {
  await t.test('a plain Redis', async (t) => interrupt(t, await startRedis(t, 'always')));
  await t.test('a Redis Cluster', async (t) =>
    interrupt(t, await startRedisCluster(t, { persistence: 'always' })),
  );
});

async function interrupt(t: Test, redis: Interrupted): Promise<void> {
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  if (store.kind === 'redis') await once(store.client, 'ready');
  await store.timeMs();
  const sessions = openSessionStore(store);
  const uids = Array.from({ length: USERS }, (_, at) => at + 1);
  for (const uid of uids) await sessions.start({ uid, sid: `s${uid}`, ...AGENT }, RULES);
  await sessions.start({ uid: 1, sid: 'ended', ...AGENT }, RULES);
  await sessions.end({ uid: 1, sid: 'ended' });

  const running = { on: true };
  let away = 0;
  const clients = uids.map((uid) =>
    keepRefreshing(sessions, uid, running, () => {
      away += 1;
    }),
  );
  await redis.stop();
  while (away < USERS) await pause(5);
  await redis.start();
  await returned(sessions, uids);
  running.on = false;
  const outcomes = await Promise.all(clients);
  t.strictSame(outcomes.flat(), [], 'no refresh was told that its session had ended');
  t.strictSame(await sessions.rotate({ uid: 1, sid: 'ended', generation: 1 }, RULES), { outcome: 'revoked' });
}

/**
 * A client that always presents the last generation received.
 * @returns the rejections
 */
async function keepRefreshing(
  sessions: SessionStore,
  uid: number,
  running: { on: boolean },
  onAway: () => void,
): Promise<string[]> {
  const refusals: string[] = [];
  let generation = 1;
  // Strict single use: every refresh is a step, except for responses lost in the outage.
  const rules = { ...RULES, windowMs: 1 };
  while (running.on) {
    try {
      const answer = await sessions.rotate({ uid, sid: `s${uid}`, generation }, rules);
      if ('generation' in answer) generation = answer.generation;
      else refusals.push(answer.outcome);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      onAway();
    }
    await pause(5);
  }
  return refusals;
}

async function returned(sessions: SessionStore, uids: readonly number[]): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_RETURN_MS;
  for (;;) {
    try {
      await Promise.all(uids.map((uid) => sessions.list(uid)));
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await pause(20);
    }
  }
}

// Revocation entries that cannot be written.

t.test(
  'an entry written after its step is enforced here at once and retried until it is written',
  async (t) => {
    const { store, redis } = await redisStore(t);
    const log = openRevocationLog(store);
    const follower = followRevocations(log, quiet);
    t.teardown(() => follower.stop());
    const revoker = createRevoker({ log, follower, accessTtlMs: 900_000, logger: quiet });
    t.teardown(() => revoker.stop());
    await follower.caughtUp();
    await redis.stop();

    await t.rejects(revoker.revoke(['known']), StoreUnavailableError);
    t.equal(await follower.isRevoked('known'), false, 'nothing is refused that was not written');
    revoker.revokeEnded(['a', 'b']);
    revoker.revokeEnded(['c']);
    for (const sid of ['a', 'b', 'c']) t.equal(await follower.isRevoked(sid), true);
    t.equal(revoker.waiting, 3);

    await redis.start();
    await revoker.flush(5000);
    t.equal(revoker.waiting, 0);
    const { entries } = await log.readAfter(LOG_START);
    t.strictSame(entries.flatMap(({ sids }) => sids).sort(), ['a', 'b', 'c']);
  },
);

t.test('the retries stop when no access token can still be valid', async (t) => {
  const { store, redis } = await redisStore(t);
  const log = openRevocationLog(store);
  const follower = followRevocations(log, quiet);
  t.teardown(() => follower.stop());
  const revoker = createRevoker({ log, follower, accessTtlMs: 1, logger: quiet });
  t.teardown(() => revoker.stop());
  await redis.stop();
  revoker.revokeEnded(['a']);
  await revoker.flush(5000);
  t.equal(revoker.waiting, 0);
});

t.test('a node that starts without its store keeps retrying, and then follows the log', async (t) => {
  const { store, redis } = await redisStore(t);
  await redis.stop();
  const log = openRevocationLog(store);
  const follower = followRevocations(log, quiet);
  t.teardown(() => follower.stop());
  t.equal(await follower.isRevoked('a'), false);
  t.ok(follower.lagSeconds() > 0);
  await redis.start();
  await redis.client.xadd('session:revoked', '*', 'sids', 'a', 'keep_ms', '960000');
  // The follower may catch up before or after the entry is written, and `isRevoked` itself reads a log that is not followed.
  await until(() => follower.isRevoked('a'), 'the entry is followed');
  await follower.caughtUp();
  t.equal(follower.lagSeconds(), 0);
});
