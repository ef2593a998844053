// The test support itself: private Redis, its command list, ageing.

import { once } from 'node:events';
import { connect } from 'node:net';
import { ageRedis } from '@tollgate/test-support/ageing.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { eachStore } from '@tollgate/test-support/stores.js';
import { Redis } from 'ioredis';
import t from 'tap';

t.test(
  "other clients' commands are listed, those of scripts and of the listing client are not",
  async (t) => {
    const { url, client, commands } = await startRedis(t);
    const other = new Redis(url);
    t.teardown(() => other.disconnect());
    await other.ping();
    const heard = await commands(async () => {
      await other.set('a', '1');
      await client.get('a');
      await other.eval("return redis.call('GET', KEYS[1])", 1, 'a');
    });
    t.strictSame(heard, ['set a 1', "eval return redis.call('GET', KEYS[1]) 1 a"]);
    t.strictSame(await commands(async () => {}), []);
  },
);

t.test('a server stops, and restarts empty on its port', async (t) => {
  const { port, client, stop, start } = await startRedis(t);
  await client.set('a', '1');
  const closed = once(client, 'close');
  await stop();
  await closed;
  const refused = connect(port, '127.0.0.1');
  await t.rejects(once(refused, 'connect'), { code: 'ECONNREFUSED' });
  await start();
  t.equal(await client.get('a'), null);
});

t.test('many servers start in parallel', async (t) => {
  const servers = await Promise.all(Array.from({ length: 8 }, () => startRedis(t)));
  t.equal(new Set(servers.map(({ port }) => port)).size, 8);
  await Promise.all(servers.map(({ client, port }) => client.set('port', port)));
  for (const { client, port } of servers) t.equal(await client.get('port'), String(port));
});

t.test('ageing moves every stored time and every expiry', async (t) => {
  const { client } = await startRedis(t);
  const time = 1_800_000_000_000;
  await client.set('text', `5:${time},${time} 800000000000 1800000000000x 18000000000000 x`, 'PX', 60_000);
  await client.set('brief', 'x', 'PX', 1000);
  await client.set('lasting', `${time}`);
  await client.hset('hash', { [`${time}`]: `${time} a`, b: 'plain' });
  await client.rpush('list', `${time}`, 'x');
  await client.zadd('zset', String(time), `${time}`, '5', 'small');
  await client.xadd('stream', `${time}-1`, 'sid', 'x');
  await ageRedis(client, 1000);

  const aged = time - 1000;
  t.equal(await client.get('text'), `5:${aged},${aged} 800000000000 1800000000000x 18000000000000 x`);
  const ttl = await client.pttl('text');
  t.ok(ttl <= 59_000 && ttl > 50_000);
  t.equal(await client.exists('brief'), 0);
  t.equal(await client.get('lasting'), `${aged}`);
  t.strictSame({ ...(await client.hgetall('hash')) }, { [`${time}`]: `${aged} a`, b: 'plain' });
  t.strictSame(await client.lrange('list', 0, -1), [`${aged}`, 'x']);
  t.equal(await client.zscore('zset', `${time}`), `${aged}`);
  t.equal(await client.zscore('zset', 'small'), '5');
  t.strictSame(await client.xrange('stream', '-', '+'), [[`${aged}-1`, ['sid', 'x']]]);
});

t.test('a store of either kind can be reopened and aged', async (t) => {
  await eachStore(t, async (t, { kind, store, age, reopen }) => {
    t.equal(store.kind, kind);
    const key = 'text';
    if (store.kind === 'redis') await store.client.set(key, 'kept', 'PX', 60_000);
    else await store.transact((transaction) => transaction.put(key, 'kept', transaction.nowMs + 60_000));
    const again = await reopen();
    const read = () => (again.kind === 'redis' ? again.client.get(key) : again.read(key));
    t.equal(await read(), 'kept');
    await age(30_000);
    t.equal(await read(), 'kept');
    await age(30_000);
    t.notOk(await read());
  });
});
