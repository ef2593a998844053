// Deleted data leaves the files of a store.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openStore, waitForStores } from '@tollgate/shared/store';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { purgeStore } from '../../src/person/purge-store.js';

const VALUE = 'a value that nobody may find again';

/** Whether a file of the folder, or of one below, has the value. */
function hasValue(folder: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .some((path) => readFileSync(path).includes(VALUE));
}

async function open(t: Test, url: string) {
  const store = openStore(url, '/');
  t.teardown(() => store.close());
  await waitForStores([store]);
  return store;
}

t.test('an append-only file is rewritten', async (t) => {
  const folder = tempDir(t);
  const redis = await startRedis(t, 'always', ['--dir', folder]);
  const store = await open(t, redis.url);
  await store.exchange('key', VALUE, 60_000);
  await redis.client.del('key');
  t.ok(hasValue(folder), 'the file keeps what was deleted');
  t.equal(await purgeStore(store), 'rewriting');
  await until(() => !hasValue(folder), 'the rewrite to end');
});

t.test('a Redis that forbids the rewrite, and one without the file, are told apart', async (t) => {
  const redis = await startRedis(t, 'always');
  await redis.client.call(
    'ACL',
    'SETUSER',
    'limited',
    'on',
    '>password',
    '~*',
    '&*',
    '+@all',
    '-bgrewriteaof',
  );
  const limited = redis.url.replace('redis://', 'redis://limited:password@');
  t.equal(await purgeStore(await open(t, limited)), 'refused');
  t.equal(await purgeStore(await open(t, (await startRedis(t)).url)), 'snapshot');
});

t.test('the file of an embedded store is rewritten', async (t) => {
  const { store } = embeddedStore(t);
  if (store.kind !== 'embedded') throw new TypeError('it is embedded');
  const folder = dirname(store.path);
  await store.exchange('key', VALUE, 60_000);
  t.ok(hasValue(folder));
  await store.transact(({ remove }) => remove('key'));
  t.equal(await purgeStore(store), 'purged');
  t.notOk(hasValue(folder));
});
