// The sign-in code contract, on every store.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSignInCodes } from '../../src/stores/sign-in-codes.js';

const ORIGIN = 'https://app.example.com';
const UNKNOWN = 'aVeryRandomCodeOf22Chs';
const MEANING = { uid: 7, origin: ORIGIN, attributes: { amr: 'hwk,user', auth_time: '1795309848000' } };

t.test('a code returns its saved content, and is taken once', async (t) => {
  await eachStore(t, async (t, { store, clock }) => {
    const codes = openSignInCodes(store);
    t.equal(await codes.read(UNKNOWN), undefined);
    t.equal(await codes.take(UNKNOWN, ORIGIN), undefined);
    const code = await codes.create(MEANING);
    t.match(code, /^[0-9A-Za-z]{22}$/);
    const made = await codes.read(code);
    t.match(made, MEANING);
    t.ok(Math.abs((made?.createdAtMs ?? 0) - clock()) < 5000);
    t.strictSame(await codes.read(code), made, 'reading leaves it');
    t.strictSame(await codes.take(code, ORIGIN), made);
    t.equal(await codes.take(code, ORIGIN), undefined, 'again');
    t.equal(await codes.read(code), undefined, 'a taken code means nothing');
  });
});

t.test('of many parallel takes exactly one gets the code', async (t) => {
  await eachStore(t, async (t, { store, reopen }) => {
    const codes = openSignInCodes(store);
    const code = await codes.create(MEANING);
    const other = openSignInCodes(store.kind === 'redis' ? await reopen() : store);
    const takes = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? codes : other).take(code, ORIGIN));
    const taken = (await Promise.all(takes)).filter((one) => one !== undefined);
    t.match(taken, [MEANING]);
    t.equal(taken.length, 1);
  });
});

t.test('another origin gets nothing, and the code remains valid for its own', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const codes = openSignInCodes(store);
    const code = await codes.create(MEANING);
    for (const origin of ['', 'null', 'https://evil.example.com', `${ORIGIN}/`, `${ORIGIN}:8443`, '%S+'])
      t.equal(await codes.take(code, origin), undefined, origin);
    t.match(await codes.take(code, ORIGIN), MEANING);
  });
});

t.test('a code without attributes, and an expired one after 60 seconds', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const codes = openSignInCodes(store);
    const bare = { uid: 1, origin: ORIGIN, attributes: {} };
    const code = await codes.create(bare);
    await age(55_000);
    const read = await codes.read(code);
    t.strictSame(read, { ...bare, createdAtMs: read?.createdAtMs });
    await age(6000);
    t.equal(await codes.read(code), undefined);
    t.equal(await codes.take(code, ORIGIN), undefined);
  });
});

t.test('the same request sent twice to Redis, because its reply was lost, gets the code twice', async (t) => {
  const { store, redis } = await redisStore(t);
  const codes = openSignInCodes(store);
  const code = await codes.create(MEANING);
  const [key = ''] = await redis.client.keys('session:code:*');
  const text = await redis.client.get(key);
  t.match(await codes.take(code, ORIGIN), MEANING);
  const [, claim] = /^!(\S+) (.*)$/.exec((await redis.client.get(key)) ?? '') ?? [];
  if (store.kind !== 'redis' || claim === undefined) throw new TypeError('the code has no claim');
  const take = (store.client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)
    .tollgate_sign_in_code_take;
  t.equal(await take?.call(store.client, 1, key, claim, ORIGIN), text, 'by the same claim');
  t.equal(await take?.call(store.client, 1, key, 'another', ORIGIN), null, 'by another one');
  t.ok((await redis.client.pttl(key)) > 0, 'what is left of it expires');
});

t.test('a dump of the store contains no usable code', async (t) => {
  const { store, redis } = await redisStore(t);
  const code = await openSignInCodes(store).create(MEANING);
  for (const key of await redis.client.keys('*')) {
    t.notMatch(key, code);
    t.notMatch(await redis.client.get(key), code);
    const codes = openSignInCodes(store);
    for (const guess of [key, key.split(':').at(-1) ?? ''])
      t.equal(await codes.take(guess, ORIGIN), undefined, 'the hash is no code');
  }
});
