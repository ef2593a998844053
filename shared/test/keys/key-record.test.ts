// The record of the keys that nodes use, on every store.

import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { type NodeKeys, openKeyRecord, SILENCE_MS } from '../../src/keys/key-record.js';
import { reportKeys } from '../../src/keys/key-report.js';
import { eachStore, redisStore } from '../../src/test/stores.js';

const MAKER: NodeKeys = { makes: true, ids: { ACCESS_SECRET: ['aaaa', 'bbbb'], ENCRYPTION_KEY: ['cccc'] } };
const VERIFIER: NodeKeys = { makes: false, ids: { ACCESS_SECRET: ['dddd'] } };

t.test('nodes are there while they report, the use of keys stays known', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const empty = await record.read();
    t.equal(empty.sinceMs, undefined);
    t.strictSame(empty.nodes, []);
    await record.report('one', MAKER, true);
    await record.report('two', VERIFIER, true);
    const both = await record.read();
    t.strictSame(
      [...both.nodes].sort((a, b) => Number(b.makes) - Number(a.makes)),
      [MAKER, VERIFIER],
    );
    t.strictSame([...both.lastUsedMs.keys()].sort(), ['ACCESS_SECRET aaaa', 'ENCRYPTION_KEY cccc']);
    t.ok(Math.abs((both.sinceMs ?? 0) - Date.now()) < 5000);

    await record.report('two', VERIFIER, false);
    t.strictSame((await record.read()).nodes, [MAKER], 'a node that stops is gone');
    await age(SILENCE_MS);
    const silent = await record.read();
    t.strictSame(silent.nodes, [], 'a node that is silent is gone');
    const usedMs = silent.lastUsedMs.get('ACCESS_SECRET aaaa') ?? 0;
    t.ok(Math.abs(silent.nowMs - usedMs - SILENCE_MS) < 5000);
  });
});

t.test('reported lifetimes stay known, and reports without any are read', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    await record.report('older', MAKER, true);
    t.strictSame((await record.read()).lifetimes, []);
    await record.report('one', { ...MAKER, lifetimes: { access: 900, refresh: 3600 } }, true);
    await record.report('two', { ...MAKER, lifetimes: { refresh: 60 } }, true);
    await record.report('one', MAKER, false);
    await age(SILENCE_MS);
    const { lifetimes, nodes } = await record.read();
    t.strictSame(nodes, []);
    t.strictSame(lifetimes.map(({ name, seconds }) => `${name} ${seconds}`).sort(), [
      ...['access 900', 'refresh 3600', 'refresh 60'],
    ]);
    await age(367 * 86_400_000);
    await record.report('one', MAKER, true);
    t.strictSame((await record.read()).lifetimes, []);
  });
});

t.test('a node reports at its start and its end, with every key of the store expiring', async (t) => {
  await eachStore(t, async (t, { store, redis }) => {
    const record = openKeyRecord(store);
    const report = reportKeys(store, MAKER, { warn() {} });
    while ((await record.read()).nodes.length === 0) await pause(2);
    t.strictSame((await record.read()).nodes, [MAKER]);
    if (redis !== undefined) t.ok((await redis.client.pttl('session:keys')) > 0);
    await report.stop();
    t.strictSame((await record.read()).nodes, []);
    t.equal((await record.read()).lastUsedMs.size, 2);
  });
});

t.test('a node reports again when its Redis comes back empty', async (t) => {
  const { store, redis } = await redisStore(t);
  const record = openKeyRecord(store);
  const report = reportKeys(store, MAKER, { warn() {} });
  t.teardown(report.stop);
  const reported = async () => (await record.read().catch(() => undefined))?.nodes ?? [];
  while ((await reported()).length === 0) await pause(2);
  await redis.stop();
  await redis.start();
  t.equal(await redis.client.exists('session:keys'), 0, 'nothing was kept');
  while ((await reported()).length === 0) await pause(2);
  t.strictSame(await reported(), [MAKER]);
});

t.test('a store that does not answer stops no node', async (t) => {
  const { store, redis } = await redisStore(t);
  await redis.stop();
  const warnings: string[] = [];
  const report = reportKeys(store, MAKER, { warn: (_about, message) => warnings.push(message) });
  await report.stop();
  t.ok(warnings.length <= 1);
});
