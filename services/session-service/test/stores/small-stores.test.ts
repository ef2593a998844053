// Records beside the sessions: sign-in codes, device cookie voids and account events.

import { MAX_DEVICE_TTL_SECONDS } from '@tollgate/shared/schemas';
import { eachKind, eachStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { MAX_FAILURES } from '../../src/domain/account-event.js';
import { openAccountEvents } from '../../src/stores/account-events.js';
import { openDeviceVoids } from '../../src/stores/device-voids.js';
import { failuresKey } from '../../src/stores/session-keys.js';
import { openSignInCodes } from '../../src/stores/sign-in-codes.js';
import { SECOND } from '../support/session-rules.js';

const ORIGIN = 'https://app.example.com';
const UNKNOWN = 'aVeryRandomCodeOf22Chs';
const MEANING = { uid: 7, origin: ORIGIN, attributes: { amr: 'hwk,user', auth_time: '1795309848000' } };

// The sign-in code contract, on every store.

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

// Device cookie voids, on every kind of store.

t.test("a user's latest void counts, for longer than any cookie's lifetime", async (t) => {
  await eachStore(t, async (t, { store, age, reopen }) => {
    const voids = openDeviceVoids(store);
    t.equal(await voids.read(7), undefined);
    await voids.void(7, 'a');
    const first = await voids.read(7);
    t.equal(first?.exceptSid, 'a');
    t.ok(Math.abs((first?.atMs ?? 0) - (await store.timeMs())) < 5 * SECOND, 'on the clock of the store');
    await age(SECOND);
    await voids.void(7);
    const second = await openDeviceVoids(await reopen()).read(7);
    t.equal(second?.exceptSid, undefined);
    t.ok((second?.atMs ?? 0) >= (first?.atMs ?? 0));
    t.equal(await openDeviceVoids(await reopen()).read(8), undefined, 'nobody else is concerned');
    const later = openDeviceVoids(await reopen());
    await later.void(7, 'a');
    await later.void(7, 'a');
    const third = await later.read(7);
    t.match(third, { exceptSid: 'a', voidUntilMs: second?.atMs }, 'its own device stays void');
    await later.void(7, 'b');
    t.match(await later.read(7), { exceptSid: 'b', voidUntilMs: third?.atMs });
    await later.void(7);
    await age(MAX_DEVICE_TTL_SECONDS * SECOND);
    t.ok(await openDeviceVoids(await reopen()).read(7));
    await age(86_400 * SECOND);
    t.equal(await openDeviceVoids(await reopen()).read(7), undefined);
  });
});

t.test('the void of a user is erased alone', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const voids = openDeviceVoids(store);
    await voids.void(7);
    await voids.void('seven');
    t.equal(await voids.erase(7), true);
    t.equal(await voids.erase(7), false);
    t.equal(await voids.read(7), undefined);
    t.ok(await voids.read('seven'));
  });
});

t.test("a user's codes are listed and erased, and nobody else's", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const codes = openSignInCodes(store);
    const [first, second] = [await codes.create(MEANING), await codes.create(MEANING)];
    const other = await codes.create({ ...MEANING, uid: 70 });
    t.match(await codes.take(second, ORIGIN), MEANING);
    const listed = await codes.ofUser(7);
    t.equal(listed.length, store.kind === 'redis' ? 2 : 1, 'on Redis a taken one is stored still');
    t.match(listed, [MEANING]);
    t.equal(await codes.erase(7), listed.length);
    t.strictSame(await codes.ofUser(7), []);
    t.equal(await codes.take(first, ORIGIN), undefined);
    t.match(await codes.take(other, ORIGIN), { uid: 70 });
  });
});

// Account events.

t.test("a user's events are erased; those of others and their order stay", async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const events = openAccountEvents(store, 60_000);
    const account = 'a'.repeat(32);
    // In the same bucket.
    const other = `${'a'.repeat(31)}b`;
    await events.note({ event: 'login', account, uid: 3, sid: 'earlier' });
    for (const sid of ['one', 'two']) await events.note({ event: 'login', account, uid: 'seven', sid });
    await events.note({ event: 'login', account: other, uid: 8, sid: 'x' });
    for (const one of [other, account, other, account])
      await events.note({ event: 'login_failed', account: one, reason: 'wrong_password' });
    const ofOther = await events.read(other);
    t.strictSame(await events.accountsOf(new Set([8])), [other]);
    t.strictSame(await events.accountsOf(new Set(['seven'])), [], 'an account with logins of another user');
    t.strictSame(await events.accountsOf(new Set(['seven', 3])), [account]);
    await age(20_000);
    t.equal(await events.erase(account, new Set(['seven'])), 4);
    t.equal(await events.erase(account, new Set(['seven'])), 0);
    t.match(await events.read(account), [{ event: 'login', uid: 3 }]);
    t.strictSame((await events.read(other)).length, ofOther.length);
    await age(45_000);
    t.strictSame(await events.read(other), [], 'an erasure prolongs nothing');
  });
});

t.test('a flood of unknown accounts does not fill the store, and AUDIT_TTL=0 stores nothing', async (t) => {
  await eachKind(t, async (t, place) => {
    const events = openAccountEvents(place.store, 60_000);
    const account = '0123456789abcdef'.repeat(2);
    const fail = () => events.note({ event: 'login_failed', account, address: undefined });
    await events.note({ event: 'login', account, uid: 7, sid: 'a' });
    await place.age(1000);
    for (let n = 0; n < MAX_FAILURES + 20; n++) await fail();
    const read = await events.read(account);
    t.equal(read.length, MAX_FAILURES + 1);
    t.match(read.at(-1), { event: 'login', uid: 7 }, 'failures push out no login');
    t.strictSame(await events.read('f'.repeat(32)), []);
    await place.age(60_000);
    t.strictSame(await events.read(account), [], 'nothing outlives AUDIT_TTL');
    await openAccountEvents(place.store, 0).note({ event: 'login_failed', account });
    t.strictSame(await events.read(account), []);
  });
  const buckets = new Set<string>();
  for (let n = 0; n < 20_000; n++) {
    buckets.add(failuresKey((n * 2_654_435_761).toString(16).padStart(32, '0').slice(-32).padEnd(32, '0')));
    buckets.add(failuresKey(`${n.toString(16).padStart(8, '0')}${'0'.repeat(24)}`));
  }
  t.equal(buckets.size, 1024, 'however many accounts are tried');
});
