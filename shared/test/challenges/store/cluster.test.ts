// Cluster behaviour: distributed keys, and masters that stop and restart.

import { randomBytes } from 'node:crypto';
import { clusterStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { ADDRESS, challengesOn, hostOn, issuePicture, issueWork } from '../fixtures.js';

t.test('addresses, accounts and challenges are distributed over all masters', async (t) => {
  const { store } = await clusterStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  for (let i = 0; i < 40; i++) {
    await host.recordFailure(`user-${i}@example.com`);
    await host.clearFailures(`user-${i}@example.com`, `198.51.100.${i}`);
    await host.recordFailure(`user-${i}@example.com`);
    await issueWork(challenges);
    await issuePicture(challenges);
  }
  t.equal(await host.requiredFor('user-1@example.com'), false);
  if (store.kind !== 'redis' || !('nodes' in store.client)) throw new TypeError('no cluster');
  const sizes = await Promise.all(store.client.nodes('master').map((node) => node.dbsize()));
  t.equal(sizes.length, 3);
  for (const size of sizes) t.ok(size > 0, `${size} keys`);
});

t.test('many concurrent accounts count their own failures, in any slot', async (t) => {
  const { store } = await clusterStore(t);
  const host = hostOn(store);
  const accounts = Array.from({ length: 60 }, () => randomBytes(8).toString('hex'));
  await Promise.all(
    accounts.flatMap((account, at) => Array.from({ length: at % 4 }, () => host.recordFailure(account))),
  );
  const standings = await Promise.all(accounts.map((account) => host.attemptStatus(account, ADDRESS)));
  t.strictSame(
    standings.map(({ failures }) => failures),
    accounts.map((_, at) => at % 4),
  );
});
