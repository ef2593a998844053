// Counting requests in windows shared by all nodes.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openRequestCounter } from '../../src/store/request-counter.js';

t.test(
  'a window begins with the first request, is not prolonged, and is followed by a new one',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const count = openRequestCounter(store, 'captcha');
      t.strictSame(await count('image:a', 60_000), { count: 1, ttlMs: 60_000 });
      await age(40_000);
      const second = await count('image:a', 60_000);
      t.equal(second.count, 2);
      t.ok(second.ttlMs > 15_000 && second.ttlMs <= 20_000, `${second.ttlMs}`);
      t.equal((await count('image:b', 60_000)).count, 1);
      await age(20_000);
      t.strictSame(await count('image:a', 60_000), { count: 1, ttlMs: 60_000 });
    });
  },
);

t.test('each of 200 parallel requests from two nodes has its own number', async (t) => {
  const { store, reopen } = await redisStore(t);
  const here = openRequestCounter(store, 'captcha');
  const there = openRequestCounter(await reopen(), 'captcha');
  const counted = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? here : there)('login:a', 60_000)),
  );
  const numbers = counted.map(({ count }) => count).sort((a, b) => a - b);
  t.strictSame(
    numbers,
    Array.from({ length: 200 }, (_, i) => i + 1),
  );
});

t.test('a counter is stored under its prefix and always with an expiry', async (t) => {
  const { store, redis } = await redisStore(t);
  await openRequestCounter(store, 'session')('login:a', 60_000);
  t.strictSame(await redis.client.keys('*'), ['session:limit:login:a']);
  t.ok((await redis.client.pttl('session:limit:login:a')) > 0);
});
