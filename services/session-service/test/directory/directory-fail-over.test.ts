// Known users survive a failover, so that a lost directory is still rejected afterwards.

import { join } from 'node:path';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openStore, type Store, waitForStore } from '@tollgate/shared/store';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedisSentinel } from '@tollgate/test-support/redis-sentinel.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { acceptDirectory } from '../../src/cli/store-actions.js';
import type { Directory } from '../../src/directory/directory.js';
import { withDirectoryCheck } from '../../src/directory/directory-check.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { KNOWN_USERS_KEY } from '../../src/stores/session-keys.js';

const ring = openKeyRing('challenge-secret-of-this-test-0123456789');
const REFUSED = /^the user directory is rejected: /;

async function open(t: Test, url: string): Promise<Store> {
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  t.ok(await waitForStore(store, 5000));
  return store;
}

/** A directory without an identity, like PostgreSQL, and a switch that empties it. */
async function directoryThatCanBeLost(t: Test) {
  const [full, empty] = ['full', 'empty'].map((name) => openEmbeddedDirectory(join(tempDir(t), name)));
  if (full === undefined || empty === undefined) throw new TypeError('two directories');
  t.teardown(() => Promise.all([full.close(), empty.close()]));
  await full.add('ada@example.com', 'hash');
  let current = full;
  const directory: Directory = {
    findByEmail: (key) => current.findByEmail(key),
    findById: (id) => current.findById(id),
    health: () => current.health(),
    async close() {},
  };
  const lose = () => {
    current = empty;
  };
  return { directory, lose };
}

/** @param failOver resolves when the replica is the master for everything in the store */
async function check(t: Test, url: string, failOver: () => Promise<void>): Promise<void> {
  const store = await open(t, url);
  const { directory, lose } = await directoryThatCanBeLost(t);
  const lines: string[] = [];
  const write = (_about: object, line: string) => void lines.push(line);
  const checked = (store: Store) => {
    const log = { info: write, error: write };
    const one = withDirectoryCheck(directory, { store, ring, keepMs: 60_000, log });
    t.teardown(() => one.stop());
    return one;
  };
  const running = checked(store);
  await running.findById(0);
  t.match(await running.findById(1), { email: 'ada@example.com' });
  await until(async () => (await store.read(KNOWN_USERS_KEY))?.includes('\n1 ') ?? false, 'ada is known');

  await failOver();
  await until(
    () =>
      store.exchange('probe', '', 1000).then(
        () => true,
        () => false,
      ),
    'the store is written again',
  );
  t.equal(await running.findById(2), undefined, 'a user who is gone is gone');
  lose();
  await t.rejects(running.findById(1), REFUSED, 'ada is not');
  t.match(lines, [/none of the users who logged in before/]);

  const other = checked(await open(t, url));
  await t.rejects(other.findById(1), REFUSED, 'for a process that starts now, too');
  await acceptDirectory(store);
  await t.resolves(other.health());
  t.equal(await other.findById(1), undefined, 'until somebody accepts the empty directory');
}

t.test('a directory lost after a Sentinel failover is rejected', async (t) => {
  const redis = await startRedisSentinel(t);
  await check(t, redis.url, async () => {
    await redis.replicated();
    await redis.failOver();
  });
});

t.test('a directory lost after a failover in a cluster is rejected', async (t) => {
  const redis = await startRedisCluster(t, { replicas: true, nodeTimeoutMs: 1000 });
  await check(t, redis.urlOfAll, async () => {
    const first = redis.masters[0]!.client;
    const slot = Number(await first.call('CLUSTER', 'KEYSLOT', KNOWN_USERS_KEY));
    const at = [5460, 10_922, 16_383].findIndex((last) => slot <= last);
    const master = redis.masters[at]!;
    // WAIT covers only writes by the same client.
    await master.client.set(`{${KNOWN_USERS_KEY}}`, '');
    t.equal(await master.client.wait(1, 10_000), 1, 'the replica has what the master has');
    await master.stop();
    const { client } = redis.replicas[at]!;
    await until(async () => (await client.info('replication')).includes('role:master'), 'it is a master');
  });
});
