// Periodic tasks: first run at once or once the store is reachable, a quick retry after a failure, none after the stop.

import { once } from 'node:events';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openStore } from '../../src/store/open-store.js';
import { startPeriodicTask } from '../../src/store/periodic-task.js';

const NEVER_MS = 3_600_000;

t.test('a failed run is repeated soon, a successful one after the interval', async (t) => {
  const { store } = embeddedStore(t);
  // Neither a periodic task nor an embedded store keeps the process alive.
  const alive = setInterval(() => {}, NEVER_MS);
  t.teardown(() => clearInterval(alive));
  const failures: unknown[] = [];
  let runs = 0;
  const done = await new Promise<{ stop(): Promise<void> }>((resolve) => {
    const started = startPeriodicTask(
      store,
      async () => {
        runs += 1;
        if (runs < 3) throw new Error(`run ${runs}`);
        setImmediate(() => resolve(started));
      },
      { everyMs: NEVER_MS, retryMs: 1, onFailure: (error) => failures.push(error) },
    );
  });
  t.equal(runs, 3);
  t.match(failures, [{ message: 'run 1' }, { message: 'run 2' }]);
  await done.stop();
});

t.test('with Redis unreachable the first run waits for the connection', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const failures: unknown[] = [];
  const answered = new Promise<number>((resolve) => {
    const task = startPeriodicTask(store, async () => resolve(await store.timeMs()), {
      everyMs: NEVER_MS,
      onFailure: (error) => failures.push(error),
    });
    t.teardown(task.stop);
  });
  await redis.start();
  t.ok((await answered) > 0);
  t.strictSame(failures, []);
});

t.test('a stop waits for the current run, and none begins after it', async (t) => {
  const { store } = embeddedStore(t);
  let [begun, ended] = [0, 0];
  let goOn = () => {};
  const task = startPeriodicTask(
    store,
    async () => {
      begun += 1;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      ended += 1;
    },
    { everyMs: 0, onFailure: (error) => t.error(error) },
  );
  const stopped = task.stop();
  t.strictSame([begun, ended], [1, 0]);
  goOn();
  await stopped;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.strictSame([begun, ended], [1, 1]);
});

t.test('a task stopped before the store is reachable never runs', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const task = startPeriodicTask(store, async () => void t.fail('a run began'), {
    everyMs: 0,
    onFailure() {},
  });
  await task.stop();
  await redis.start();
  if (store.kind === 'redis' && store.client.status !== 'ready') await once(store.client, 'ready');
  t.ok((await store.timeMs()) > 0);
});
