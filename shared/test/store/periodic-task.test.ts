// Rounds on a store: the first at once or once it is there, the next after a failure soon, none after the stop.

import { once } from 'node:events';
import t from 'tap';
import { openStore } from '../../src/store/open-store.js';
import { startPeriodicTask } from '../../src/store/periodic-task.js';
import { embeddedStore, redisStore } from '../support/stores.js';

const NEVER_MS = 3_600_000;

t.test('a round that failed is repeated soon, one that succeeded when its time comes', async (t) => {
  const { store } = embeddedStore(t);
  // Rounds keep no process alive, and an embedded store does not either.
  const alive = setInterval(() => {}, NEVER_MS);
  t.teardown(() => clearInterval(alive));
  const failures: unknown[] = [];
  let rounds = 0;
  const done = await new Promise<{ stop(): Promise<void> }>((resolve) => {
    const started = startPeriodicTask(
      store,
      async () => {
        rounds += 1;
        if (rounds < 3) throw new Error(`round ${rounds}`);
        setImmediate(() => resolve(started));
      },
      { everyMs: NEVER_MS, retryMs: 1, onFailure: (error) => failures.push(error) },
    );
  });
  t.equal(rounds, 3);
  t.match(failures, [{ message: 'round 1' }, { message: 'round 2' }]);
  await done.stop();
});

t.test('on a Redis that is away the first round waits until it is there', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const failures: unknown[] = [];
  const answered = new Promise<number>((resolve) => {
    const rounds = startPeriodicTask(store, async () => resolve(await store.timeMs()), {
      everyMs: NEVER_MS,
      onFailure: (error) => failures.push(error),
    });
    t.teardown(rounds.stop);
  });
  await redis.start();
  t.ok((await answered) > 0);
  t.strictSame(failures, []);
});

t.test('a stop waits for the running round, and none begins after it', async (t) => {
  const { store } = embeddedStore(t);
  let [begun, ended] = [0, 0];
  let goOn = () => {};
  const rounds = startPeriodicTask(
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
  const stopped = rounds.stop();
  t.strictSame([begun, ended], [1, 0]);
  goOn();
  await stopped;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.strictSame([begun, ended], [1, 1]);
});

t.test('one that is stopped before the store is there never begins', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const rounds = startPeriodicTask(store, async () => void t.fail('a round began'), {
    everyMs: 0,
    onFailure() {},
  });
  await rounds.stop();
  await redis.start();
  if (store.kind === 'redis' && store.client.status !== 'ready') await once(store.client, 'ready');
  t.ok((await store.timeMs()) > 0);
});
