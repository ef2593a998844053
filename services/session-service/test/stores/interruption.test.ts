// A Redis that is restarted with its data during refreshes: nobody is logged out.

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore, StoreUnavailableError } from '@tollgate/shared/store';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import t, { type Test } from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import type { SessionStore } from '../../src/stores/session-store.js';
import { AGENT, RULES } from '../support/session-rules.js';

const USERS = 30;
const LONGEST_RETURN_MS = 15_000;

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
