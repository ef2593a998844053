// Store content: every entry expires; no identifiers, no answers; distributed over a cluster's masters.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisServer } from '@tollgate/test-support/redis-server.js';
import {
  clusterStore,
  eachKind,
  eachStore,
  redisStore,
  type StoreUnderTest,
} from '@tollgate/test-support/stores.js';
import t from 'tap';
import type { Store } from '../../../src/store/open-store.js';
import {
  ACCOUNT,
  ADDRESS,
  ANSWER,
  address,
  challengesOn,
  effortIssue,
  hostOn,
  imageIssue,
  issuePicture,
  issueWork,
  MINUTE_MS,
  powIssue,
  SECRET,
} from '../fixtures.js';

/** Fills a store with one entry of each kind. */
async function fill({ store }: StoreUnderTest): Promise<void> {
  const challenges = challengesOn(store);
  const host = hostOn(store, { bind_ip: true });
  await challenges.issuePow(powIssue());
  await challenges.issueEffort(effortIssue());
  await challenges.issueImage(imageIssue({}, { address }));
  const consumed = { ...(await issueWork(challenges)), ...(await issuePicture(challenges)) };
  await host.verify(consumed, { ip: ADDRESS, pow: true, image: 'required' });
  await hostOn(store).verify(await issuePicture(challenges), { ip: ADDRESS, pow: false, image: 'required' });
  await host.recordFailure(ACCOUNT);
  const tried = await host.countAttempt(ACCOUNT, ADDRESS);
  await host.countAttempt(ACCOUNT, ADDRESS);
  await tried.withdraw();
  await host.clearFailures('other@example.com', ADDRESS);
  await host.nextAttempt(ACCOUNT, 2, ADDRESS);
  const limit = { max: 0, windowMs: MINUTE_MS };
  await challenges.issuePow(powIssue({ limit }));
  await challenges.issueImage(imageIssue({ limit }));
  await challenges.issuePow(powIssue());
}

/** Every key with its value, as one text. */
async function dumpOf({ client }: Pick<RedisServer, 'client'>): Promise<string> {
  const lines: string[] = [];
  for (const key of await client.keys('*')) {
    const value =
      (await client.type(key)) === 'zset'
        ? await client.zrange(key, '0', '-1', 'WITHSCORES')
        : [await client.get(key)];
    lines.push([key, ...value].join(' '));
  }
  return lines.join('\n');
}

t.test('every key has an expiry', async (t) => {
  const place = await redisStore(t);
  await fill(place);
  const keys = await place.redis.client.keys('*');
  const kinds = new Set(keys.map((key) => key.split(':')[1]));
  t.strictSame([...kinds].sort(), ['cleared', 'fail', 'img', 'limit', 'pow', 'price', 'vol', 'wait']);
  for (const key of keys) t.ok((await place.redis.client.pttl(key)) > 0, key);
});

t.test('after the longest lifetime nothing remains, and the embedded store is pruned empty', async (t) => {
  await eachStore(t, async (t, place) => {
    await fill(place);
    await place.age(86_400_000);
    if (place.kind === 'redis') {
      if (place.redis !== undefined) t.equal(await place.redis.client.dbsize(), 0);
      t.equal(await place.store.prune(), 0);
      return;
    }
    const removed = await place.store.prune();
    t.ok(removed >= 10, `${removed} removed`);
    t.equal(await place.store.prune(), 0);
  });
});

t.test('no address, account, answer or secret is in the store', async (t) => {
  await eachKind(t, async (t, place) => {
    await fill(place);
    const dump =
      place.redis === undefined
        ? ['', '-wal'].map((end) => readFileSync(`${pathOf(place.store)}${end}`, 'latin1')).join('')
        : await dumpOf(place.redis);
    t.match(dump, /captcha:vol:\{/, 'the dump shows what is there');
    const secrets = [ADDRESS, ACCOUNT, 'other@example.com', ANSWER, SECRET];
    for (const text of secrets) {
      for (const encoding of ['utf8', 'hex', 'base64'] as const) {
        t.notOk(dump.toLowerCase().includes(Buffer.from(text).toString(encoding).toLowerCase()), text);
      }
    }
    t.notOk(dump.includes('demo'));
    t.notOk(dump.includes('203.0.113'));
  });
});

function pathOf(store: Store): string {
  return store.kind === 'embedded' ? store.path : '';
}

// On a cluster keys are distributed over all masters.

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
