// Store content: every entry expires; no identifiers, no answers.

import { readFileSync } from 'node:fs';
import type { RedisServer } from '@tollgate/test-support/redis-server.js';
import { eachKind, eachStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
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
async function dumpOf(redis: RedisServer): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.client.keys('*')) {
    const value =
      (await redis.client.type(key)) === 'zset'
        ? await redis.client.zrange(key, '0', '-1', 'WITHSCORES')
        : [await redis.client.get(key)];
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
