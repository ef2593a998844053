// Pruning as a service does it by itself.

import t, { type Test } from 'tap';
import type { EmbeddedStore } from '../../src/store/embedded-store.js';
import { startPruning } from '../../src/store/pruning.js';
import { embeddedStore, redisStore } from '../support/stores.js';

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

t.test('pruning that fails is a warning and nothing more', async (t) => {
  const error = new Error('the disk is full');
  const broken = { kind: 'embedded', prune: () => Promise.reject(error) } as unknown as EmbeddedStore;
  t.strictSame(await start(t, broken), { level: 'warn', about: { err: error }, message: 'pruning failed' });
});

t.test('on Redis there is nothing to prune', async (t) => {
  const { store, redis } = await redisStore(t);
  t.strictSame(await redis.commands(async () => startPruning(store, logOf()).stop()), []);
});
