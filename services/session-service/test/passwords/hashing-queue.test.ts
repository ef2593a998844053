// The limit on running and waiting hashes.

import t from 'tap';
import { createHashingQueue, HashingOverloadedError, hashingLimits } from '../../src/passwords/sign-in.js';

/** Work that ends on command. */
function stoppable() {
  let started = 0;
  const stops: (() => void)[] = [];
  return {
    stops,
    started: () => started,
    work: () => {
      started += 1;
      return new Promise<number>((resolve) => stops.push(() => resolve(stops.length)));
    },
  };
}

t.test('the configured numbers run and wait, and the next is rejected without a start', async (t) => {
  const queue = createHashingQueue({ running: 2, waiting: 3 });
  const { work, started, stops } = stoppable();
  const accepted = Array.from({ length: 5 }, () => queue.run(work));
  t.strictSame(queue.load, { running: 2, waiting: 3 });
  t.equal(started(), 2);
  await t.rejects(queue.run(work), HashingOverloadedError);
  t.equal(started(), 2);

  stops[0]?.();
  await accepted[0];
  t.strictSame(queue.load, { running: 2, waiting: 2 });
  const late = queue.run(work);
  t.equal(started(), 3, 'the next waiter got the slot');
  for (let i = 1; i < 6; i++) {
    stops[i]?.();
    await (i < 5 ? accepted[i] : late);
  }
  t.strictSame(queue.load, { running: 0, waiting: 0 });
});

t.test('failed work frees its slot and fails only for its caller', async (t) => {
  const queue = createHashingQueue({ running: 1, waiting: 5 });
  const results = await Promise.allSettled([
    queue.run(async () => 1),
    queue.run(() => Promise.reject(new Error('failed'))),
    queue.run(() => {
      throw new Error('thrown');
    }),
    queue.run(async () => 4),
  ]);
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  t.strictSame(queue.load, { running: 0, waiting: 0 });
});

t.test('nothing waits if the limit is zero', async (t) => {
  const queue = createHashingQueue({ running: 1, waiting: 0 });
  const { work, stops } = stoppable();
  const first = queue.run(work);
  await t.rejects(queue.run(work), HashingOverloadedError);
  stops[0]?.();
  await first;
  t.equal(await queue.run(async () => 'ran'), 'ran');
});

t.test('on eight cores seven hashes counted as running, and Node ran four', async (t) => {
  t.strictSame(hashingLimits(8, 4), { running: 4, waiting: 128 });
  t.strictSame(hashingLimits(8, 16), { running: 7, waiting: 224 });
  t.strictSame(hashingLimits(2, 4), { running: 1, waiting: 32 });
  t.strictSame(hashingLimits(1, 4), { running: 1, waiting: 32 });
});
