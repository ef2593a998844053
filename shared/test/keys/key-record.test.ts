// The record of the nodes' keys, on every store.

import { setTimeout as pause } from 'node:timers/promises';
import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { type NodeKeys, openKeyRecord, type ReportedKeys, SILENCE_MS } from '../../src/keys/key-record.js';
import { reportKeys } from '../../src/keys/key-report.js';

const MAKER: NodeKeys = { makes: true, ids: { ACCESS_SECRET: ['aaaa', 'bbbb'], ENCRYPTION_KEY: ['cccc'] } };
const VERIFIER: NodeKeys = { makes: false, ids: { ACCESS_SECRET: ['dddd'] } };

/** The keys of all nodes, without their start times. */
function keysOf({ nodes }: Pick<ReportedKeys, 'nodes'>): NodeKeys[] {
  return nodes.map(({ beganMs: _beganMs, ...keys }) => keys);
}

t.test('nodes are listed while they report, and the use of keys is retained', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const empty = await record.read();
    t.equal(empty.sinceMs, undefined);
    t.strictSame(empty.nodes, []);
    await record.report('one', MAKER, true);
    await record.report('two', VERIFIER, true);
    const both = await record.read();
    t.strictSame(
      keysOf(both).sort((a, b) => Number(b.makes) - Number(a.makes)),
      [MAKER, VERIFIER],
    );
    t.strictSame([...both.lastUsedMs.keys()].sort(), ['ACCESS_SECRET aaaa', 'ENCRYPTION_KEY cccc']);
    t.ok(Math.abs((both.sinceMs ?? 0) - Date.now()) < 5000);

    await record.report('two', VERIFIER, false);
    t.strictSame(keysOf(await record.read()), [MAKER], 'a node that stops is gone');
    await age(SILENCE_MS);
    const silent = await record.read();
    t.strictSame(silent.nodes, [], 'a node that is silent is gone');
    const usedMs = silent.lastUsedMs.get('ACCESS_SECRET aaaa') ?? 0;
    t.ok(Math.abs(silent.nowMs - usedMs - SILENCE_MS) < 5000);
  });
});

t.test("a node's start is its first report, and a new one after it was gone", async (t) => {
  await eachStore(t, async (t, { store, age, redis }) => {
    const record = openKeyRecord(store);
    const began = async () => (await record.read()).nodes.map(({ beganMs = 0 }) => beganMs);
    await record.report('one', MAKER, true);
    const [first = 0] = await began();
    t.ok(Math.abs(first - (await record.read()).nowMs) < 5000);
    await age(60_000);
    await record.report('one', MAKER, true);
    const again = await record.read();
    t.ok(again.nowMs - (again.nodes[0]?.beganMs ?? 0) >= 60_000, 'a repeated report changes nothing');
    await record.report('two', VERIFIER, true);
    await record.report('one', MAKER, false);
    t.equal((await began()).length, 1);
    if (redis !== undefined) {
      const fields = await redis.client.hkeys('session:keys');
      t.strictSame(
        fields.filter((name) => name.startsWith('began:')),
        ['began:two'],
      );
    }
    await age(SILENCE_MS);
    await record.report('one', MAKER, true);
    const after = await record.read();
    t.ok(Math.abs(after.nowMs - (after.nodes[0]?.beganMs ?? 0)) < 5000);
    t.equal(after.nodes.length, 1);
  });
});

t.test('reported lifetimes are retained, and reports without lifetimes are read', async (t) => {
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

t.test("a service's process reports its state, which is removed with the node", async (t) => {
  await eachStore(t, async (t, { store, age, redis }) => {
    const record = openKeyRecord(store);
    const state = { clockMs: 1_234_567, hasTrustProxy: true, place: 'a host, process 7' };
    await record.see('one', state);
    t.strictSame((await record.read()).nodes, [], 'without its keys it is no node');
    if (redis !== undefined) t.ok((await redis.client.pttl('session:keys')) > 0);
    await record.report('one', MAKER, true);
    await record.see('one', state);
    await record.report('older', VERIFIER, true);
    const seen = (await record.read()).nodes.map((node) => node.seen);
    t.match(seen.find(Boolean), state);
    t.equal(seen.filter(Boolean).length, 1);
    await age(60_000);
    await record.see('one', { ...state, hasTrustProxy: false });
    const { nodes, nowMs } = await record.read();
    const again = nodes.find((node) => node.seen)?.seen;
    t.equal(again?.hasTrustProxy, false);
    t.ok(nowMs - (again?.atMs ?? 0) < 5000);
    await record.report('one', MAKER, false);
    await record.report('one', MAKER, true);
    t.strictSame(
      (await record.read()).nodes.filter((node) => node.seen),
      [],
      'nothing is left of a node that has stopped',
    );
  });
});

t.test("a service's node reports its state from its start, an application's does not", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const record = openKeyRecord(store);
    const application = reportKeys(store, VERIFIER, { warn() {} });
    const service = reportKeys(store, MAKER, { warn() {} }, { trustProxy: ['loopback'] });
    const seen = async () => (await record.read()).nodes.flatMap((node) => node.seen ?? []);
    while ((await seen()).length === 0 || (await record.read()).nodes.length < 2) await pause(2);
    const [state, ...more] = await seen();
    t.strictSame(more, []);
    t.equal(state?.hasTrustProxy, true);
    t.match(state?.place, new RegExp(`, process ${process.pid}$`));
    t.ok(Math.abs((state?.clockMs ?? 0) - Date.now()) < 5000);
    for (const each of [application, service]) await each.stop();
    t.strictSame((await record.read()).nodes, []);
  });
});

t.test('a node reports at its start and its end, and every key of the store expires', async (t) => {
  await eachStore(t, async (t, { store, redis }) => {
    const record = openKeyRecord(store);
    const report = reportKeys(store, MAKER, { warn() {} });
    while ((await record.read()).nodes.length === 0) await pause(2);
    t.strictSame(keysOf(await record.read()), [MAKER]);
    if (redis !== undefined) t.ok((await redis.client.pttl('session:keys')) > 0);
    await report.stop();
    t.strictSame((await record.read()).nodes, []);
    t.equal((await record.read()).lastUsedMs.size, 2);
  });
});

t.test('a node reports again when its Redis returns empty', async (t) => {
  const { store, redis } = await redisStore(t);
  const record = openKeyRecord(store);
  const report = reportKeys(store, MAKER, { warn() {} });
  t.teardown(report.stop);
  const reported = async () => keysOf((await record.read().catch(() => undefined)) ?? { nodes: [] });
  while ((await reported()).length === 0) await pause(2);
  // Another key, because the node may report before it could be looked at.
  await redis.client.set('kept', '1');
  await redis.stop();
  await redis.start();
  t.equal(await redis.client.exists('kept'), 0, 'nothing was kept');
  while ((await reported()).length === 0) await pause(2);
  t.strictSame(await reported(), [MAKER]);
});

t.test('an unreachable store stops no node', async (t) => {
  const { store, redis } = await redisStore(t);
  await redis.stop();
  const warnings: string[] = [];
  const report = reportKeys(store, MAKER, { warn: (_about, message) => warnings.push(message) });
  await report.stop();
  t.ok(warnings.length <= 1);
});
