// A service with a clock off by an hour did not report it: its log and readiness do, until the clocks agree again.

import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { CHEAP, onStore, type Site } from './site.js';

const HOUR_MS = 3_600_000;

t.setTimeout(300_000);

t.test('the clock of a service and that of Redis', (t) => onStore(t, 'redis', CHEAP, tests));

async function tests(t: Test, { redis, sessionAdmin, challengeAdmin, moveClock, logs }: Site): Promise<void> {
  if (redis === undefined) throw new TypeError('requires Redis');
  const ready = async (admin: typeof sessionAdmin) => (await admin.get('/health/ready')).json;
  const warnings = async () => (await logs()).match(/the clocks of Redis and of this node are \d+ s apart/g);
  /** Clocks are compared every minute, and with each new connection. */
  const compareNow = () => redis.client.call('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
  t.match(await ready(sessionAdmin), { status: 'ok' });

  for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
    await moveClock('session-service', aheadMs);
    await compareNow();
    const checks = { store: 'clock', challenge_store: 'clock', directory: 'ok' };
    await until(async () => (await ready(sessionAdmin)).checks?.store === 'clock', 'readiness shows it');
    t.strictSame(await ready(sessionAdmin), { status: 'degraded', checks });
    await until(async () => (await ready(challengeAdmin)).status === 'ok', 'the other service is well');
    await moveClock('session-service', 0);
    await compareNow();
    await until(async () => (await ready(sessionAdmin)).status === 'ok', 'the clocks agree');
  }
  t.strictSame(await warnings(), Array(2).fill('the clocks of Redis and of this node are 3600 s apart'));
  t.equal((await logs()).match(/the clocks of Redis and of this node agree again/g)?.length, 2);
}
