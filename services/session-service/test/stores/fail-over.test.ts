// Redis unavailable, restarted, without its scripts, or replaced by a replica that missed a write.

import { once } from 'node:events';
import { openStore, StoreUnavailableError, waitForStore } from '@tollgate/shared/store';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import type { Redis } from 'ioredis';
import t from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import { AGENT, LAPTOP, PHONE, RULES } from '../support/session-rules.js';

t.test('scripts are loaded again on a server that lost them', async (t) => {
  const { store, redis } = await redisStore(t);
  const sessions = openSessionStore(store);
  await sessions.start({ ...PHONE, ...AGENT }, RULES);
  t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'rotated' });
  await redis.client.script('FLUSH');
  t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'current', generation: 2 });
  await redis.client.script('FLUSH');
  t.match(await sessions.list(7), [{ sid: 'phone' }]);
});

t.test(
  'while Redis is unavailable every operation fails with StoreUnavailableError, and afterwards all succeed',
  async (t) => {
    const { store, redis } = await redisStore(t);
    const sessions = openSessionStore(store);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    if (store.kind !== 'redis') throw new TypeError('a store on Redis was asked for');

    const closed = once(store.client, 'close');
    await redis.stop();
    await closed;
    const attempts: (() => Promise<unknown>)[] = [
      () => sessions.start({ ...LAPTOP, ...AGENT }, RULES),
      () => sessions.rotate({ ...PHONE, generation: 1 }, RULES),
      () => sessions.proveUsed({ ...PHONE, generation: 1 }),
      () => sessions.end(PHONE),
      () => sessions.endListed(7, ['phone']),
      () => sessions.list(7),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((reason: unknown) => reason);
      t.ok(error instanceof StoreUnavailableError);
    }

    await redis.start();
    t.ok(await waitForStore(store, 5000));
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'rotated' });
  },
);

t.test("a Redis out of memory rejects only a user's first session", async (t) => {
  const { store, redis } = await redisStore(t);
  const sessions = openSessionStore(store);
  await sessions.start({ ...LAPTOP, ...AGENT }, RULES);
  await redis.client.config('SET', 'maxmemory', '1');
  const first = { ...PHONE, ...AGENT, uid: 8 };
  const error = await sessions.start(first, RULES).catch((reason: unknown) => reason);
  t.ok(error instanceof StoreUnavailableError);
  t.match(await sessions.list(8), []);
  t.match(await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES), { outcome: 'rotated' });
  await t.resolves(sessions.proveUsed({ ...LAPTOP, generation: 2 }), 'a theft stays visible');
  const login = { ...PHONE, ...AGENT, endSid: 'laptop' };
  t.match(await sessions.start(login, { ...RULES, maxSessions: 1 }), { hasReplaced: true, evicted: [] });
  t.match(await sessions.list(7), [{ sid: 'phone' }]);
  t.equal(await sessions.end(PHONE), true, 'a logout needs no memory');
});

t.test('every operation is one command', async (t) => {
  const { store, redis } = await redisStore(t);
  const sessions = openSessionStore(store);
  const everything = async () => {
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    await sessions.rotate({ ...PHONE, generation: 1 }, RULES);
    await sessions.proveUsed({ ...PHONE, generation: 1 });
    await sessions.list(7);
    await sessions.end(PHONE);
    await sessions.endListed(7, ['phone']);
  };
  await everything();
  const commands = await redis.commands(everything);
  t.equal(commands.length, 6);
  for (const command of commands)
    t.match(command, /^evalsha [0-9a-f]{40} (1 session:\{7\}|2 session:\{7\} session:\{7\}:ended)( |$)/);
});

t.test("a user's key expires with the user’s last session", async (t) => {
  const { store, redis } = await redisStore(t);
  const sessions = openSessionStore(store);
  const expiry = async () => Number(await redis.client.call('PEXPIRETIME', 'session:{7}'));
  const short = { ...RULES, refreshTtlMs: 60_000 };
  const long = await sessions.start({ ...PHONE, ...AGENT }, RULES);
  const brief = await sessions.start({ ...LAPTOP, ...AGENT }, short);
  t.equal(await expiry(), long.nowMs + RULES.refreshTtlMs);
  await sessions.end(PHONE);
  t.equal(await expiry(), brief.nowMs + 60_000);
  const verdict = await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES);
  if (!('nowMs' in verdict)) throw new TypeError('no rotation');
  t.equal(await expiry(), verdict.nowMs + RULES.refreshTtlMs);
  await sessions.start({ ...PHONE, ...AGENT }, short);
  await sessions.endListed(7, ['laptop']);
  t.ok((await expiry()) <= Date.now() + 61_000);
  await sessions.endListed(7, ['phone', 'laptop']);
  t.strictSame(await redis.client.keys('*'), []);
});

t.test(
  'failover to a replica that missed a write: the newer token works and moves the store forward',
  async (t) => {
    const { store, redis } = await redisStore(t);
    const master = openSessionStore(store);
    const replica = await startRedis(t);
    await master.start({ ...PHONE, ...AGENT }, RULES);
    await master.rotate({ ...PHONE, generation: 1 }, RULES);
    await replica.client.replicaof('127.0.0.1', redis.port);
    await inSync(replica.client);
    await replica.client.call('REPLICAOF', 'NO', 'ONE');

    await redis.client.call('SCRIPT', 'FLUSH');
    const missed = await master.rotate({ ...PHONE, generation: 2 }, { ...RULES, windowMs: 0 });
    t.match(missed, { outcome: 'rotated', generation: 3 });
    await redis.stop();

    const second = openStore(replica.url, '.');
    t.teardown(() => second.close());
    if (second.kind === 'redis') await once(second.client, 'ready');
    const promoted = openSessionStore(second);
    t.match(await promoted.rotate({ ...PHONE, generation: 3 }, RULES), {
      outcome: 'rolled_forward',
      generation: 3,
    });
    t.match(await promoted.rotate({ ...PHONE, generation: 3 }, RULES), { outcome: 'current', generation: 3 });
    t.strictSame(await promoted.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'reuse' });
  },
);

/** Waits for the first synchronisation by polling, because a replica sends no notification. */
async function inSync(replica: Redis): Promise<void> {
  const until = Date.now() + 10_000;
  while (!/master_link_status:up/.test(await replica.info('replication'))) {
    if (Date.now() > until) throw new Error('the replica did not catch up');
  }
}
