// A Redis that stops and restarts during operations and keeps its data: only operations during the outage fail.

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedisSentinel } from '@tollgate/test-support/redis-sentinel.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import t, { type Test } from 'tap';
import { openStore, type Store } from '../../../src/store/open-store.js';
import { StoreUnavailableError } from '../../../src/store/store.js';
import { ACCOUNT, ADDRESS, challengesOn, hostOn, issueWork, newClaim, powIssue } from '../fixtures.js';

const CONTEXT = { ip: ADDRESS, pow: true, image: 'offered' } as const;
const LONGEST_RETURN_MS = 15_000;

interface Interrupted {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

t.test('Redis stops and restarts during submissions', async (t) => {
  await t.test('plain Redis', async (t) => interrupt(t, await startRedis(t, 'always')));
  await t.test('Redis Cluster', async (t) =>
    interrupt(t, await startRedisCluster(t, { persistence: 'always' })),
  );
});

/** Submissions continue; each challenge is accepted at most once, and no issued challenge is lost. */
async function interrupt(t: Test, redis: Interrupted): Promise<void> {
  const store = await open(t, redis.url);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const before = await Promise.all(Array.from({ length: 20 }, () => issueWork(challenges)));
  const consumed = await issueWork(challenges);
  t.match(await host.verify(consumed, CONTEXT), { ok: true });
  await host.recordFailure(ACCOUNT);

  const running = { on: true };
  const outcomes = { passed: 0, away: 0 };
  const submissions = keepSubmitting(store, running, outcomes);
  while (outcomes.passed === 0) await pause(5);
  await redis.stop();
  while (outcomes.away === 0) await pause(5);
  await t.rejects(host.verify(before[0]!, CONTEXT), StoreUnavailableError);
  const passedWhileAway = outcomes.passed;
  await pause(50);
  t.equal(outcomes.passed, passedWhileAway, 'no submission passes while it is away');

  await redis.start();
  await returned(store);
  const passedBefore = outcomes.passed;
  while (outcomes.passed === passedBefore) await pause(5);
  running.on = false;
  await submissions;

  for (const work of before)
    t.match(await host.verify(work, CONTEXT), { ok: true }, 'issued before, good after');
  for (const work of [...before, consumed]) {
    t.match(await host.verify(work, CONTEXT), { ok: false, reason: 'unknown' }, 'and consumed once');
  }
  t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 1, 'the failure is remembered');
}

async function keepSubmitting(
  store: Store,
  running: { on: boolean },
  outcomes: { passed: number; away: number },
): Promise<void> {
  const challenges = challengesOn(store);
  const host = hostOn(store);
  while (running.on) {
    try {
      const verdict = await host.verify(await issueWork(challenges), CONTEXT);
      if (verdict.ok) outcomes.passed++;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      outcomes.away++;
      await pause(5);
    }
  }
}

t.test('failover: a Sentinel promotes the replica, and the store recovers by itself', async (t) => {
  const redis = await startRedisSentinel(t);
  const store = await open(t, redis.url);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const work = await issueWork(challenges);
  const consumed = powIssue();
  await challenges.issuePow(consumed);
  t.not(await challenges.take('pow', consumed.token, newClaim()), null);
  await redis.replicated();

  await redis.master.stop();
  await t.rejects(host.verify(work, CONTEXT), StoreUnavailableError);
  await redis.promoted();
  await returned(store);
  t.match(await host.verify(work, CONTEXT), { ok: true }, 'what was replicated is there');
  t.equal(
    await challenges.take('pow', consumed.token, newClaim()),
    null,
    'and what was consumed stays consumed',
  );
});

async function open(t: Test, url: string): Promise<Store> {
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  if (store.kind === 'redis') await once(store.client, 'ready');
  await store.timeMs();
  return store;
}

/** Resolves when the store accepts writes again. */
async function returned(store: Store): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_RETURN_MS;
  for (;;) {
    try {
      await Promise.all(Array.from({ length: 30 }, () => challengesOn(store).issuePow(powIssue())));
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await pause(20);
    }
  }
}
