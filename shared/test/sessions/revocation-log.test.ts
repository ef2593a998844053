// The revocation log on every store, and its followers.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import { until } from '@tollgate/test-support/until.js';
import t from 'tap';
import { openRevocationLog } from '../../src/sessions/open-revocation-log.js';
import { followRevocations } from '../../src/sessions/revocation-follower.js';
import { LOG_START, type RevocationLog, type RevocationWait } from '../../src/sessions/revocation-log.js';
import type { Store } from '../../src/store/open-store.js';
import { StoreUnavailableError } from '../../src/store/store.js';

const KEEP_MS = 960_000;
const idsOf = ({ entries }: { entries: readonly { sids: readonly string[] }[] }) =>
  entries.map(({ sids }) => sids.join('+'));

async function appendAll(log: RevocationLog, ...entries: string[][]): Promise<void> {
  for (const sids of entries) await log.append({ sids, keepMs: KEEP_MS });
}

t.test('entries are read in order, once, from any position', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const log = openRevocationLog(store);
    t.strictSame(await log.readAfter(LOG_START), { entries: [], position: LOG_START, complete: true });
    await appendAll(log, ['a'], ['b', 'c']);
    const page = await log.readAfter(LOG_START);
    t.strictSame(
      page.entries.map(({ atMs: _atMs, ...entry }) => entry),
      [
        { sids: ['a'], keepMs: KEEP_MS },
        { sids: ['b', 'c'], keepMs: KEEP_MS },
      ],
    );
    const nowMs = await store.timeMs();
    for (const { atMs } of page.entries) t.ok(Math.abs(nowMs - atMs) < 5000, 'the time of the store');
    t.strictSame(await log.readAfter(page.position), {
      entries: [],
      position: page.position,
      complete: true,
    });
    await appendAll(log, ['d'], ['d']);
    t.strictSame(idsOf(await log.readAfter(page.position)), ['d', 'd'], 'a repeated entry does no harm');
  });
});

t.test('the log is read in pages, each from the end of the previous one', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const log = openRevocationLog(store);
    await appendAll(log, ['a'], ['b', 'c'], ['d'], ['e']);
    const pages: string[][] = [];
    let position = LOG_START;
    for (let complete = false; !complete; ) {
      const page = await log.readAfter(position, 2);
      pages.push(idsOf(page));
      ({ position, complete } = page);
    }
    // Redis cannot know that a full page was the last.
    t.strictSame(pages.slice(0, 2), [
      ['a', 'b+c'],
      ['d', 'e'],
    ]);
    t.strictSame(pages.slice(2).flat(), []);
    await appendAll(log, ['f']);
    t.strictSame(idsOf(await log.readAfter(position, 2)), ['f']);
    t.strictSame(idsOf(await log.readAfter(LOG_START)).length, 5, 'without a limit all of it');
  });
});

t.test('a tail receives an entry while it waits, and waits at most half a second', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const log = openRevocationLog(store);
    await appendAll(log, ['a']);
    const tail = await log.openTail();
    t.teardown(() => tail.close());
    const { position, complete, ...first } = await tail.next(LOG_START, 'none');
    t.strictSame(idsOf(first), ['a']);
    t.equal(complete, true);
    const sinceMs = performance.now();
    const waiting = tail.next(position, 'brief');
    await appendAll(log, ['b']);
    t.strictSame(idsOf(await waiting), ['b']);
    t.ok(performance.now() - sinceMs < 1000);
    const last = await log.readAfter(position);
    t.strictSame((await tail.next(last.position, 'brief')).entries, [], 'nothing new');
  });
});

t.test('trimmed stream: an entry stays for its lifetime, and is removed with the next one', async (t) => {
  await eachStore(t, async (t, { store, age, redis }) => {
    const log = openRevocationLog(store);
    await appendAll(log, ['old']);
    await age(KEEP_MS - 10_000);
    await appendAll(log, ['new']);
    t.strictSame(idsOf(await log.readAfter(LOG_START)), ['old', 'new']);
    await age(20_000);
    await appendAll(log, ['newer']);
    t.strictSame(idsOf(await log.readAfter(LOG_START)), ['new', 'newer']);
    if (redis !== undefined) t.equal(await redis.client.xlen('session:revoked'), 2);
    await age(KEEP_MS);
    t.strictSame(idsOf(await log.readAfter(LOG_START)), []);
    await appendAll(log, ['again']);
    t.strictSame(idsOf(await log.readAfter(LOG_START)), ['again'], 'a log that had expired begins anew');
  });
});

t.test('a writer with a shorter lifetime drops no entry with a longer one', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const log = openRevocationLog(store);
    await appendAll(log, ['long']);
    await age(5_000);
    await log.append({ sids: ['short'], keepMs: 1_000 });
    await age(5_000);
    await log.append({ sids: ['shorter'], keepMs: 500 });
    t.equal(idsOf(await log.readAfter(LOG_START))[0], 'long');
    await age(KEEP_MS);
    await log.append({ sids: ['last'], keepMs: 1_000 });
    t.strictSame(idsOf(await log.readAfter(LOG_START)), ['last']);
  });
});

t.test('many entries are read in pages, without omissions', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const log = openRevocationLog(store);
    const all = Array.from({ length: 2500 }, (_, at) => `s${at}`);
    for (let at = 0; at < all.length; at += 100) {
      await Promise.all(all.slice(at, at + 100).map((sid) => log.append({ sids: [sid], keepMs: KEEP_MS })));
    }
    const read: string[] = [];
    let position = LOG_START;
    for (let isComplete = false; !isComplete; ) {
      const page = await log.readAfter(position);
      read.push(...idsOf(page));
      position = page.position;
      isComplete = page.complete;
    }
    t.strictSame([...read].sort(), [...all].sort());
  });
});

t.test('every key expires, and an append is one command', async (t) => {
  const { store, redis } = await redisStore(t);
  const log = openRevocationLog(store);
  await appendAll(log, ['a']);
  const ttl = await redis.client.pttl('session:revoked');
  t.ok(ttl > KEEP_MS - 5000 && ttl <= KEEP_MS);
  await log.append({ sids: ['b'], keepMs: 1000 });
  t.ok((await redis.client.pttl('session:revoked')) > 1000, 'a shorter life shortens nothing');
  const sent = await redis.commands(() => appendAll(log, ['c']));
  t.equal(sent.length, 1);
  t.match(sent[0], /^evalsha [0-9a-f]{40} 1 session:revoked 960000 c$/);
});

t.test('with Redis stopped every method throws, including a waiting tail', async (t) => {
  const { store, redis } = await redisStore(t);
  const log = openRevocationLog(store);
  await appendAll(log, ['a']);
  const tail = await log.openTail();
  const waiting = tail.next('0', 'none').then(({ position }) => tail.next(position, 'brief'));
  const outcome = waiting.catch((error: unknown) => error);
  await redis.stop();
  t.ok((await outcome) instanceof StoreUnavailableError);
  for (const attempt of [
    () => appendAll(log, ['b']),
    () => log.readAfter(LOG_START),
    () => log.openTail(),
    () => tail.next(LOG_START, 'none'),
  ]) {
    t.ok((await attempt().catch((error: unknown) => error)) instanceof StoreUnavailableError);
  }
});

t.test('a waiting tail detects a server that becomes silent', async (t) => {
  const { store, redis } = await redisStore(t);
  const tail = await openRevocationLog(store).openTail();
  t.teardown(() => tail.close());
  await redis.client.client('PAUSE', 3000, 'ALL');
  const sinceMs = performance.now();
  const outcome = await tail.next(LOG_START, 'brief').catch((error: unknown) => error);
  t.ok(outcome instanceof StoreUnavailableError);
  t.ok(performance.now() - sinceMs < 2500);
});

// An idle follower reads the log rarely, and still knows every revocation at the next check.

const MINUTE_MS = 60_000;

/** A follower with a clock controlled by the test, and the waits of its reads. */
function restingFollower(t: { teardown(end: () => unknown): void }, store: Store) {
  const log = openRevocationLog(store);
  const waits: RevocationWait[] = [];
  const observed: RevocationLog = {
    ...log,
    async openTail() {
      const tail = await log.openTail();
      return {
        next(position, wait) {
          waits.push(wait);
          return tail.next(position, wait);
        },
        close: () => tail.close(),
      };
    },
  };
  let aheadMs = 0;
  const follower = followRevocations(observed, { info() {}, warn() {} }, () => performance.now() + aheadMs);
  t.teardown(() => follower.stop());
  return {
    log,
    follower,
    waits,
    pass: (ms: number) => {
      aheadMs += ms;
    },
  };
}

t.test('a session revoked while the follower was idle is rejected at the first check', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { log, follower, waits, pass } = restingFollower(t, store);
    await follower.caughtUp();
    t.equal(await follower.isRevoked('ended'), false);
    await until(() => waits.includes('brief'), 'the log is read often');
    t.notOk(waits.includes('long'));
    pass(MINUTE_MS);
    await until(() => waits.at(-1) === 'long', 'the log is read seldom');

    await log.append({ sids: ['ended'], keepMs: KEEP_MS });
    pass(MINUTE_MS);
    t.equal(await follower.isRevoked('ended'), true);
    t.equal(await follower.isRevoked('lives'), false);
    t.equal(follower.lagSeconds(), 0);
  });
});

t.test("a check detects an idle follower's dead connection", async (t) => {
  const { store, redis } = await redisStore(t);
  const { follower, waits, pass } = restingFollower(t, store);
  await follower.caughtUp();
  pass(MINUTE_MS);
  await until(() => waits.at(-1) === 'long', 'the log is read seldom');
  await redis.client.client('PAUSE', 3000, 'ALL');
  pass(MINUTE_MS);
  t.equal(await follower.isRevoked('lives'), false, 'the memory decides');
  await until(() => follower.lagSeconds() > 0, 'the log is lost');
  await follower.caughtUp();
});
