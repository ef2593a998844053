// The store in one file: expiry, pruning, several processes.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { type EmbeddedStore, openEmbeddedStore } from '../../src/store/embedded-store.js';
import { startPruning } from '../../src/store/periodic-task.js';
import { openRequestCounter } from '../../src/store/request-counter.js';
import { openDatabase } from '../../src/store/sqlite.js';
import { StoreUnavailableError } from '../../src/store/store.js';

const run = promisify(execFile);
const INCREMENT = fileURLToPath(new URL('./programs/increment.js', import.meta.url));

/** A store with a clock that stays at `at.ms` until a test moves it. */
function openAt(t: Test, startMs = 1_000_000) {
  const at = { ms: startMs };
  const path = join(tempDir(t), 'store.db');
  const store = openEmbeddedStore(path, () => at.ms);
  t.teardown(() => store.close());
  return { at, path, store };
}

t.test('a value is present until its expiry and absent from then on, in both ways of reading', async (t) => {
  const { at, store } = openAt(t);
  await store.transact((tx) => {
    tx.put('a', 'text with spaces é', tx.nowMs + 1000);
    tx.put('b', '', tx.nowMs + 1000);
  });
  const inside = () => store.transact((tx) => [tx.get('a'), tx.get('b'), tx.expiryOf('a'), tx.nowMs]);
  at.ms += 999;
  t.strictSame(await inside(), ['text with spaces é', '', 1_001_000, 1_000_999]);
  t.equal(await store.read('a'), 'text with spaces é');
  at.ms += 1;
  t.equal(await store.read('a'), undefined);
  t.strictSame(await inside(), [undefined, undefined, undefined, 1_001_000]);
});

t.test('reading removes an expired value, and a clock set back does not restore it', async (t) => {
  const { at, store } = openAt(t);
  await store.transact((tx) => {
    tx.put('read', '1', tx.nowMs + 1000);
    tx.put('got', '1', tx.nowMs + 1000);
  });
  at.ms += 1000;
  t.equal(await store.read('read'), undefined);
  t.equal(await store.transact((tx) => tx.get('got')), undefined);
  at.ms -= 1000;
  t.equal(await store.read('read'), undefined);
  t.equal(await store.read('got'), undefined);
  at.ms += 5000;
  t.equal(await store.prune(), 0);
});

t.test('a rewritten value has its new expiry alone', async (t) => {
  const { at, store } = openAt(t);
  await store.transact((tx) => tx.put('a', 'old', tx.nowMs + 1000));
  await store.transact((tx) => tx.put('a', 'new', tx.nowMs + 5000));
  at.ms += 2000;
  t.equal(await store.prune(), 0);
  t.equal(await store.read('a'), 'new');
  at.ms += 3000;
  t.equal(await store.prune(), 1);
});

t.test('a removed value is absent and leaves nothing to prune', async (t) => {
  const { at, store } = openAt(t);
  await store.transact((tx) => tx.put('a', '1', tx.nowMs + 1000));
  await store.transact((tx) => {
    tx.remove('a');
    tx.remove('never there');
  });
  t.equal(await store.read('a'), undefined);
  at.ms += 1000;
  t.equal(await store.prune(), 0);
});

t.test('pruning removes exactly the expired entries, in batches, and returns their number', async (t) => {
  const { at, store } = openAt(t);
  await store.transact((tx) => {
    for (let i = 0; i < 250; i++) tx.put(`key ${i}`, 'x', tx.nowMs + 1000 + i);
  });
  at.ms += 1099;
  t.equal(await store.prune(7), 100);
  t.equal(await store.read('key 100'), 'x');
  at.ms += 1000;
  t.equal(await store.prune(), 150);
  t.equal(await store.prune(), 0);
});

t.test('pruning lets other transactions run between its batches', async (t) => {
  const { at, store } = openAt(t);
  await store.transact((tx) => {
    for (let i = 0; i < 60; i++) tx.put(`key ${i}`, 'x', tx.nowMs + 1);
  });
  at.ms += 1;
  const order: string[] = [];
  const pruned = store.prune(10).then((removed) => order.push(`pruned ${removed}`));
  const written = store.transact((tx) => tx.put('a', '1', tx.nowMs + 1000)).then(() => order.push('written'));
  await Promise.all([pruned, written]);
  t.strictSame(order, ['written', 'pruned 60']);
});

t.test('stored values survive closing and opening', async (t) => {
  const path = join(tempDir(t), 'folder', 'that', 'is made', 'store.db');
  const first = openEmbeddedStore(path);
  await first.transact((tx) => tx.put('a', 'kept', tx.nowMs + 60_000));
  await first.close();
  const second = openEmbeddedStore(path);
  t.teardown(() => second.close());
  t.equal(await second.read('a'), 'kept');
  t.ok(statSync(path).isFile());
});

t.test('none of 1,000 parallel increments by two processes is lost', async (t) => {
  const { path } = openAt(t);
  const store = openEmbeddedStore(path);
  t.teardown(() => store.close());
  await Promise.all([0, 1].map(() => run(process.execPath, [INCREMENT, path, '500'])));
  t.equal(await store.read('count'), '1000');
  await run(process.execPath, [INCREMENT, path, '1']);
  t.equal(await store.read('count'), '1001', 'a value that was read before is seen as it is now');
});

t.test('a step that throws rejects with its exception, and the store continues', async (t) => {
  const { store } = openAt(t);
  await t.rejects(
    store.transact(() => {
      throw new RangeError('no');
    }),
    new RangeError('no'),
  );
  await store.transact((tx) => tx.put('a', '1', tx.nowMs + 1000));
  t.equal(await store.read('a'), '1');
});

t.test('of steps committed together, only the one that throws is rolled back', async (t) => {
  const { store } = openAt(t);
  const results = await Promise.allSettled(
    ['a', 'b', 'c'].map((key) =>
      store.transact((tx) => {
        tx.put(key, '1', tx.nowMs + 1000);
        if (key === 'b') throw new RangeError('no');
      }),
    ),
  );
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.strictSame(await store.keys(''), ['a', 'c']);
});

t.test('a store locked by another process rejects within seconds, and recovers afterwards', async (t) => {
  const { path, store } = openAt(t);
  const other = openDatabase(path, 0);
  other.exec('BEGIN IMMEDIATE');
  const put = (key: string) => store.transact((tx) => tx.put(key, '1', tx.nowMs + 1000));
  await t.rejects(Promise.all([put('a'), put('b')]), StoreUnavailableError);
  t.equal(await store.read('a'), undefined, 'reading goes on');
  other.exec('ROLLBACK');
  other.close();
  await put('c');
  t.strictSame(await store.keys(''), ['c']);
});

t.test('a file that is no database is an unavailable store, and does not end the process', async (t) => {
  const folder = tempDir(t);
  for (const [name, content] of Object.entries({
    brief: 'x',
    text: 'this is no database '.repeat(1000),
    zeros: Buffer.alloc(8192),
  })) {
    writeFileSync(join(folder, name), content);
    t.throws(() => openEmbeddedStore(join(folder, name)), StoreUnavailableError, name);
  }
  t.throws(() => openEmbeddedStore(join(folder, 'text', 'below a file.db')), StoreUnavailableError);
  t.throws(() => openEmbeddedStore(folder), StoreUnavailableError, 'a folder');
});

t.test('an empty file becomes a store', async (t) => {
  const path = join(tempDir(t), 'empty');
  writeFileSync(path, '');
  const store = openEmbeddedStore(path);
  t.teardown(() => store.close());
  await store.transact((tx) => tx.put('a', '1', tx.nowMs + 60_000));
  t.equal(await store.read('a'), '1');
});

t.test(
  'a text that SQLite would truncate or change is another key, and is rejected as a value',
  async (t) => {
    const { store } = openAt(t);
    const put = (key: string, value: string) => store.transact((tx) => tx.put(key, value, tx.nowMs + 1000));
    await put('key', 'value');
    await put('half \ufffd', 'value');
    for (const other of ['key\0', 'key\0x', '\0', 'half \ud800', 'half \udfff']) {
      t.equal(await store.read(other), undefined, JSON.stringify(other));
      await store.transact((tx) => tx.remove(other));
      await t.rejects(put(other, 'value'), StoreUnavailableError);
      await t.rejects(put('new', other), StoreUnavailableError);
      t.equal(await store.read('new'), undefined);
    }
    t.strictSame(await store.keys(''), ['half \ufffd', 'key']);
  },
);

// Automatic pruning by a service.

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

t.test('removed, replaced and expired values leave no byte in any file once it is closed', async (t) => {
  const { at, path, store } = openAt(t);
  const values = Array.from({ length: 300 }, (_, n) => `value-${n}-${'x'.repeat(200)}`);
  await store.transact((tx) => {
    for (const [n, value] of values.entries())
      tx.put(`key-${n}`, value, tx.nowMs + (n < 200 ? 60_000 : 1000));
  });
  await store.transact((tx) => {
    tx.remove('key-10');
    tx.put('key-20', 'replaced', tx.nowMs + 60_000);
  });
  at.ms += 2000;
  t.equal(await store.prune(), 100);
  await store.close();
  const folder = dirname(path);
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const left = values.filter((_, n) => bytes.some((content) => content.includes(`value-${n}-`)));
  t.strictSame(left, [...values.slice(0, 10), ...values.slice(11, 20), ...values.slice(21, 200)]);
});

t.test('a clock set back stretched the window of a rate limit', async (t) => {
  const { at, store } = openAt(t, 10_000_000);
  const count = openRequestCounter(store, 'session');
  t.strictSame(await count('login', 60_000), { count: 1, ttlMs: 60_000 });
  at.ms -= 3_600_000;
  t.strictSame(await count('login', 60_000), { count: 2, ttlMs: 60_000 });
  at.ms += 60_000;
  t.strictSame(await count('login', 60_000), { count: 1, ttlMs: 60_000 });
});

t.test('pruning many live entries left no turn to requests', async (t) => {
  const { store } = openAt(t);
  await store.transact((tx) => {
    for (let n = 0; n < 5000; n++) tx.put(`live:${n}`, '', tx.nowMs + 1_000_000);
  });
  let turns = 0;
  const pruning = store.prune();
  let ended = false;
  void pruning.then(() => {
    ended = true;
  });
  while (!ended) {
    turns += 1;
    await turn();
  }
  t.equal(await pruning, 0);
  t.ok(turns >= 5, `${turns} turns`);
});

t.test('failed reads of a damaged file were not counted, and a list of keys was another error', async (t) => {
  const { path, store } = openAt(t);
  await store.transact((tx) => {
    for (let n = 0; n < 20_000; n++) tx.put(`key:${n}`, 'x'.repeat(300), tx.nowMs + 1_000_000);
  });
  await store.close();
  const damaged = openEmbeddedStore(path, () => 1_000_000);
  t.teardown(() => damaged.close());
  // More than fits into SQLite's cache: the check at the opening has read it all.
  writeFileSync(path, readFileSync(path).fill(0xff, 2 * 4096));
  const failures: unknown[] = [];
  damaged.observe({ took: () => {}, failed: (error) => failures.push(error) });
  await t.rejects(damaged.read('key:1'), StoreUnavailableError);
  await t.rejects(damaged.keys('key:'), StoreUnavailableError);
  t.equal(failures.length, 2);
});
