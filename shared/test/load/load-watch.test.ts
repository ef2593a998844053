// Several processes on one store, and the price that follows from their total load.

import { eachKind, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { openLoadRecord } from '../../src/load/load-record.js';
import {
  type LoadWatch,
  type LoadWatchOptions,
  type QueueMeter,
  watchLoad,
} from '../../src/load/load-watch.js';
import { FALL_MS, RISE_MS } from '../../src/pow/load.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';
import type { Store } from '../../src/store/open-store.js';
import { StoreUnavailableError } from '../../src/store/store.js';

const isFull = () => true;

interface Setup extends Partial<Pick<LoadWatchOptions, 'onByHand'>> {
  readonly prefix?: string;
  readonly levels?: string;
}

/** A process with a password queue, with a clock of its own. */
function openProcess(t: Test, store: Store, { prefix = 'captcha', levels = '2,4,6', ...more }: Setup = {}) {
  let nowMs = 0;
  const lines: string[] = [];
  const note = (_about: object, message: string) => void lines.push(message);
  const watch = watchLoad(store, {
    options: resolveCaptchaOptions({
      cache: { prefix },
      load_levels: levels === '' ? undefined : levels,
    }),
    log: { info: note, warn: note },
    now: () => nowMs,
    ...more,
  });
  t.teardown(() => watch.stop());
  const queue = watch.queue('passwords', { running: 1, waiting: 1 });
  return {
    watch,
    queue,
    lines,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const refuse = (queue: QueueMeter) =>
  queue.measure(() => Promise.reject(new Error('full')), isFull).catch(() => {});

/** Raises the level from 0 to 1: every report says that the queue is full. */
async function raise({ age }: StoreUnderTest, { watch, queue }: { watch: LoadWatch; queue: QueueMeter }) {
  for (let times = 0; times < 2; times++) {
    await refuse(queue);
    await watch.look();
  }
  await age(RISE_MS);
  for (let times = 0; times < 2; times++) {
    await refuse(queue);
    await watch.look();
  }
}

t.test('all processes read the level raised by the load of one, and its fall', async (t) => {
  await eachKind(t, async (t, place) => {
    const one = openProcess(t, place.store);
    const other = openProcess(t, place.store);
    const shop = openProcess(t, place.store, { prefix: 'shop' });
    await raise(place, one);
    t.match(one.watch.status(), { level: 1, bits: { load: 2, hand: 0 }, sum: { queues: { passwords: 2 } } });
    for (const { watch } of [other, shop]) {
      t.equal(watch.raisedBits(), 0, 'it has not looked yet');
      await watch.look();
    }
    t.equal(other.watch.raisedBits(), 2);
    t.equal(shop.watch.raisedBits(), 0, 'another prefix is another site');
    t.strictSame(one.lines, ['the price of work rises by load']);

    await place.age(FALL_MS);
    await Promise.all([one.watch.look(), other.watch.look()]);
    t.strictSame(
      [one, other].map(({ watch }) => watch.raisedBits()),
      [0, 0],
    );
    t.strictSame(other.lines, ['the price of work rises by load', 'the price of work falls again']);
  });
});

t.test('a process that sends no further reports also falls back', async (t) => {
  await eachKind(t, async (t, place) => {
    const one = openProcess(t, place.store);
    await raise(place, one);
    one.pass(FALL_MS - 2000);
    t.equal(one.watch.raisedBits(), 2);
    one.pass(2000);
    t.equal(one.watch.raisedBits(), 0);
  });
});

t.test('a manual price increase applies to all processes, whether the load counts or not', async (t) => {
  await eachKind(t, async (t, place) => {
    const heard: unknown[] = [];
    const onByHand: LoadWatchOptions['onByHand'] = (raised) => heard.push(raised);
    const one = openProcess(t, place.store, { onByHand });
    const other = openProcess(t, place.store, { levels: '' });
    const looks = () => Promise.all([one.watch.look(), other.watch.look()]);
    const record = openLoadRecord(place.store, 'captcha');
    await record.raise(5, 3_600_000);
    await looks();
    t.strictSame(
      [one, other].map(({ watch }) => watch.raisedBits()),
      [5, 5],
    );
    t.match(one.watch.status().bits, { load: 0, hand: 5 });
    await looks();
    await record.raise(3, 60_000);
    await looks();
    t.equal(one.watch.raisedBits(), 3);
    one.pass(60_000);
    t.equal(one.watch.raisedBits(), 0, 'it ends when it was to end');
    await record.raise(0, 0);
    await looks();
    t.equal(other.watch.raisedBits(), 0);
    t.strictSame(heard, [{ bits: 5, minutes: 60 }, { bits: 3, minutes: 1 }, null]);
  });
});

t.test('unsolved challenges and drawings raise nothing', async (t) => {
  await eachKind(t, async (t, place) => {
    const one = openProcess(t, place.store);
    const drawings = one.watch.queue('drawings', { running: 1, waiting: 1 });
    for (let times = 0; times < 5; times++) {
      for (let asked = 0; asked < 1000; asked++) one.watch.issued();
      one.watch.refused();
      await refuse(drawings);
      await one.watch.look();
      await place.age(RISE_MS);
    }
    for (let asked = 0; asked < 1000; asked++) one.watch.issued();
    await refuse(drawings);
    await one.watch.look();
    t.match(one.watch.status(), { level: 0, sum: { issued: 1000, queues: { drawings: 2, passwords: 0 } } });
    t.equal(one.watch.raisedBits(), 0);
  });
});

t.test('without work the store gets no commands, and with work none per request', async (t) => {
  const { store, redis } = await redisStore(t);
  const { watch } = openProcess(t, store);
  t.strictSame(await redis.commands(async () => watch.raisedBits()), []);
  await watch.look();
  const commands = await redis.commands(async () => {
    for (let times = 0; times < 10_000; times++) {
      watch.issued();
      watch.raisedBits();
    }
    await watch.look();
  });
  t.equal(commands.length, 2, 'the first work after a pause reads what the others know, then it is reported');
});

t.test('an unresponsive store neither raises nor keeps the price', async (t) => {
  const { store, redis, age } = await redisStore(t);
  const one = openProcess(t, store);
  await raise({ store, redis, age } as StoreUnderTest, one);
  t.equal(one.watch.raisedBits(), 2);
  await redis.stop();
  for (let times = 0; times < 3; times++) {
    await refuse(one.queue);
    await t.rejects(one.watch.look(), StoreUnavailableError);
  }
  t.equal(one.watch.raisedBits(), 2);
  one.pass(FALL_MS);
  t.equal(one.watch.raisedBits(), 0);
});
