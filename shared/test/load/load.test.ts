// Load: measured by a queue, reported by all processes of a store, and the price that follows.

import { setTimeout as pause } from 'node:timers/promises';
import { eachKind, eachStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { loadKeys, openLoadRecord, parseLoadState, SILENT_MS } from '../../src/load/load-record.js';
import {
  createQueueMeter,
  type LoadWatch,
  type LoadWatchOptions,
  type QueueMeter,
  watchLoad,
} from '../../src/load/load-watch.js';
import { FALL_MS, FULL_LOAD, RISE_MS } from '../../src/pow/load.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';
import type { Store } from '../../src/store/open-store.js';
import { StoreUnavailableError } from '../../src/store/store.js';

const FULL = new Error('the queue is full');
const isFull = (error: unknown) => error === FULL;

/** A meter with a clock of its own, and jobs that end on request. */
function meterOf(running: number, waiting: number) {
  let nowMs = 0;
  const called = { jobs: 0, refused: 0 };
  const meter = createQueueMeter(
    { running, waiting },
    {
      onJob: () => {
        called.jobs += 1;
      },
      onRefused: () => {
        called.refused += 1;
      },
    },
    () => nowMs,
  );
  const start = () => {
    let end = () => {};
    const done = meter.measure(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
      isFull,
    );
    return async () => {
      end();
      await done;
    };
  };
  return {
    meter,
    called,
    start,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

t.test('the load is the time share of busy threads plus the share of occupied places', async (t) => {
  const { meter, start, pass, called } = meterOf(2, 4);
  pass(1000);
  t.equal(meter.take(), 0);
  const first = start();
  t.ok(meter.isBusy());
  pass(500);
  await first();
  pass(500);
  t.equal(meter.take(), 0.25, 'one of two threads for half of the time');
  t.notOk(meter.isBusy());
  const ends = [start(), start(), start()];
  pass(1000);
  t.equal(meter.take(), 1.25, 'both all the time, and one of four places');
  for (const end of ends) await end();
  pass(1000);
  t.equal(meter.take(), 0);
  t.strictSame(called, { jobs: 4, refused: 0 });
});

t.test('a rejecting queue counts as full in that second', async (t) => {
  const { meter, pass, called } = meterOf(1, 1);
  await t.rejects(
    meter.measure(() => Promise.reject(FULL), isFull),
    FULL,
  );
  pass(1000);
  t.equal(meter.take(), 2);
  pass(1000);
  t.equal(meter.take(), 0);
  await t.rejects(
    meter.measure(() => Promise.reject(new Error('another')), isFull),
    /another/,
  );
  pass(1000);
  t.equal(meter.take(), 0, 'another error refuses nothing');
  t.equal(called.refused, 1);
});

t.test('without elapsed time there is no load', async (t) => {
  const { meter, start } = meterOf(1, 1);
  start();
  t.equal(meter.take(), 0);
});

// The load reports of all processes, on every store.

const REPORT = { issued: 5, refused: 1, queues: { passwords: 0.5 } };
const OTHER = { issued: 2, refused: 0, queues: { passwords: 1.5, drawings: 0.25 } };

t.test('reports are added up while they are fresh, and an ended process is removed', async (t) => {
  await eachStore(t, async (t, { store, age, redis, reopen }) => {
    const record = openLoadRecord(store, 'captcha');
    const empty = await record.report('reader');
    t.match(empty, { stateText: '', byHand: null, sum: { processes: 0, issued: 0, refused: 0 } });
    t.match((await record.report('one', REPORT)).sum, { processes: 1, queues: { drawings: 0 } });
    t.strictSame((await openLoadRecord(await reopen(), 'captcha').report('two', OTHER)).sum, {
      processes: 2,
      issued: 7,
      refused: 1,
      queues: { passwords: 1, drawings: 0.25 },
    });
    const record2 = store.kind === 'embedded' ? openLoadRecord(await reopen(), 'captcha') : record;
    t.match(
      (await record2.report('one', REPORT)).sum,
      { processes: 2, issued: 7 },
      'a repeated one counts once',
    );
    t.match((await record2.report('two', null)).sum, { processes: 1, issued: 5 }, 'one that ends');
    await age(SILENT_MS);
    t.match((await record2.report('reader')).sum, { processes: 0, issued: 0 }, 'one that is silent');
    t.match(
      (await openLoadRecord(store.kind === 'embedded' ? await reopen() : store, 'other').report('x')).sum,
      {
        processes: 0,
      },
    );
    if (redis === undefined) return;
    await record.raise(4, 60_000);
    await record.report('one', REPORT);
    const keys = Object.values(loadKeys('captcha'));
    t.strictSame((await redis.client.keys('*')).sort(), keys.sort());
    for (const key of keys) t.ok((await redis.client.pttl(key)) > 0, `${key} expires`);
  });
});

t.test("the rule's state is changed once, by the process that knows the current one", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const record = openLoadRecord(store, 'captcha');
    const state = { level: 1, heldMs: 1_700_000_000_000, overMs: 0 };
    const change = { from: '', to: state };
    const { stateText } = await record.report('one', undefined, change);
    t.strictSame(parseLoadState(stateText), state);
    const late = { from: '', to: { ...state, level: 2 } };
    t.equal((await record.report('two', undefined, late)).stateText, stateText, 'somebody was faster');
    t.equal(
      (await record.report('one', undefined, change)).stateText,
      stateText,
      'a repetition changes nothing',
    );
    const next = { from: stateText, to: { ...state, level: 2 } };
    t.equal(parseLoadState((await record.report('two', undefined, next)).stateText)?.level, 2);
  });
});

t.test('a manual price increase ends by itself, or at once', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const record = openLoadRecord(store, 'captcha');
    const byHand = async () => (await record.report('reader')).byHand;
    t.equal(await record.raise(4, 3_600_000), false);
    const raised = await byHand();
    t.equal(raised?.bits, 4);
    t.ok(raised !== null && raised.leftMs > 3_590_000 && raised.leftMs <= 3_600_000);
    t.equal(await record.raise(2, 60_000), true, 'the last word counts');
    t.match(await byHand(), { bits: 2 });
    await age(60_000);
    t.equal(await byHand(), null);
    await record.raise(3, 60_000);
    t.equal(await record.raise(0, 0), true);
    await pause(5);
    t.equal(await byHand(), null);
    t.equal(await record.raise(0, 0), false);
  });
});

t.test('a process with false reports counts as one at most, or not at all', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const record = openLoadRecord(store, 'captcha');
    const sane = { issued: 1, refused: 0, queues: { passwords: 0.5, drawings: 0 } };
    await record.report('one', sane);
    for (const queues of [
      { passwords: 2.5 },
      { passwords: -1 },
      { passwords: Number.NaN },
      { drawings: 1e9 },
    ]) {
      const { sum } = await record.report('liar', { issued: 1, refused: 0, queues });
      t.strictSame(sum, { processes: 1, ...sane });
    }
    const most = { issued: 1e300, refused: -1, queues: { passwords: FULL_LOAD } };
    t.strictSame((await record.report('liar', most)).sum, { processes: 1, ...sane });
    const { sum } = await record.report('liar', { ...most, refused: 0, issued: 1 });
    t.equal(sum.queues.passwords, (0.5 + FULL_LOAD) / 2);
    for (const text of ['', 'x', '1 2', '-1 1 1', '100 1 1', '1 9999999999999999 1']) {
      t.equal(parseLoadState(text), null, text);
    }
  });
});

// Several processes on one store, and the price that follows from their total load.

const isAlwaysFull = () => true;

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
  queue.measure(() => Promise.reject(new Error('full')), isAlwaysFull).catch(() => {});

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
  const place = await redisStore(t);
  const { store, redis } = place;
  const one = openProcess(t, store);
  await raise(place, one);
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
