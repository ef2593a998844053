// Automatic pruning by a service.

import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import type { EmbeddedStore } from '../../src/store/embedded-store.js';
import { startPruning } from '../../src/store/periodic-task.js';

interface Line {
  readonly level: string;
  readonly about: object;
  readonly message: string;
}

/** A log whose next line can be awaited. */
function logOf() {
  let resolve: (line: Line) => void;
  const line = new Promise<Line>((done) => {
    resolve = done;
  });
  return {
    line,
    info: (about: object, message: string) => resolve({ level: 'info', about, message }),
    warn: (about: object, message: string) => resolve({ level: 'warn', about, message }),
  };
}

function start(t: Test, store: Parameters<typeof startPruning>[0]) {
  const log = logOf();
  const pruning = startPruning(store, log);
  t.teardown(() => pruning.stop());
  return log.line;
}

t.test('an embedded store is pruned at the start', async (t) => {
  const { store, age } = embeddedStore(t);
  await (store as EmbeddedStore).transact((tx) => tx.put('a', '1', tx.nowMs + 1000));
  await age(1000);
  t.strictSame(await start(t, store), {
    level: 'info',
    about: { removed: 1 },
    message: 'pruned expired entries',
  });
});

t.test('and again at the interval, until it is stopped', async (t) => {
  const { store, age } = embeddedStore(t);
  const { transact, keys } = store as EmbeddedStore;
  const lines: object[] = [];
  let pruned = () => {};
  const info = (about: object) => {
    lines.push(about);
    pruned();
  };
  const pruning = startPruning(store, { info, warn: info }, 5);
  for (const key of ['a', 'b']) {
    const again = new Promise<void>((resolve) => {
      pruned = resolve;
    });
    await transact((tx) => tx.put(key, '1', tx.nowMs + 1000));
    await age(1000);
    // The timer alone does not keep a process alive.
    const alive = setInterval(() => {}, 1000);
    await again;
    clearInterval(alive);
  }
  pruning.stop();
  t.strictSame(lines, [{ removed: 1 }, { removed: 1 }]);
  t.strictSame([...(await keys('a')), ...(await keys('b'))], []);
});

t.test('failed pruning is a warning and nothing more', async (t) => {
  const error = new Error('the disk is full');
  const broken = { kind: 'embedded', prune: () => Promise.reject(error) } as unknown as EmbeddedStore;
  t.strictSame(await start(t, broken), { level: 'warn', about: { err: error }, message: 'pruning failed' });
});

t.test('on Redis nothing is pruned', async (t) => {
  const { store, redis } = await redisStore(t);
  t.strictSame(await redis.commands(async () => startPruning(store, logOf()).stop()), []);
});

t.test('while fifty thousand entries are pruned, other operations take their turns', async (t) => {
  const { store, age } = embeddedStore(t);
  const { transact, prune } = store as EmbeddedStore;
  const entries = 50_000;
  for (let from = 0; from < entries; from += 5000) {
    await transact((tx) => {
      for (let at = from; at < from + 5000; at++)
        tx.put(`captcha:img:{aa}:${at}`, 'x'.repeat(200), tx.nowMs + 1);
    });
  }
  await age(1);
  let isPruning = true;
  const pruned = prune().then((removed) => {
    isPruning = false;
    return removed;
  });
  let turns = 0;
  while (isPruning) {
    await transact((tx) => tx.put('captcha:options', 'x', tx.nowMs + 60_000));
    turns += 1;
  }
  t.equal(await pruned, entries);
  // A batch removes 200 at most: there are 250 of them, and other operations may run after each.
  t.ok(turns >= 100, `${turns} turns`);
});
