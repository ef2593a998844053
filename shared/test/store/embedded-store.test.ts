// The store in one file: expiry, pruning, several processes.

import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
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
