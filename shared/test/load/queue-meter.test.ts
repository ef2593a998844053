// Queue load, measured by arrivals and departures.

import t from 'tap';
import { createQueueMeter } from '../../src/load/load-watch.js';

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
