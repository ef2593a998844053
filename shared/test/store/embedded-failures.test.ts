// A full disk and a held lock are logged with their cause.

import { join } from 'node:path';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
import { openDatabase } from '../../src/store/sqlite.js';
import { watchStore } from '../../src/store/watch/store-watch.js';

interface Line {
  readonly level: 'info' | 'warn';
  readonly about: object;
  readonly message: string;
}

/** A watched store, and the log lines of the watch. */
function open(t: Test, path: string) {
  const store = openEmbeddedStore(path);
  const lines: Line[] = [];
  const log = {
    info: (about: object, message: string) => void lines.push({ level: 'info', about, message }),
    warn: (about: object, message: string) => void lines.push({ level: 'warn', about, message }),
  };
  const watch = watchStore(store, { variable: 'STORE_URL', holds: [], log });
  t.teardown(async () => {
    await watch.stop();
    await store.close();
  });
  const write = () => store.transact((tx) => tx.put('key', 'x'.repeat(2000), tx.nowMs + 600_000));
  return { lines, watch, write };
}

t.test('a held lock is logged once, and once more when released', async (t) => {
  const path = join(tempDir(t), 'store');
  const { lines, watch, write } = open(t, path);
  const other = openDatabase(path, 0);
  t.teardown(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  for (let round = 0; round < 2; round++) await t.rejects(write(), { name: 'StoreUnavailableError' });
  t.equal(watch.problem, 'another process has locked it');
  other.exec('ROLLBACK');
  await until(async () => {
    await write();
    return watch.problem === undefined;
  }, 'the store can be used again');
  t.strictSame(lines, [
    {
      level: 'warn',
      about: { store: 'STORE_URL', cause: 'locked' },
      message: 'the store cannot be used: another process has locked it',
    },
    { level: 'info', about: { store: 'STORE_URL' }, message: 'the store can be used again' },
  ]);
});

const disk = mountSmallDisk(t, 2);
const skip = disk === undefined && 'SKIPPED: this user may not mount a file system';

t.test('a full disk is logged once', { skip }, async (t) => {
  if (disk === undefined) return;
  const { lines, watch, write } = open(t, join(disk.folder, 'store'));
  disk.fill();
  for (let failures = 0; failures < 5; ) {
    const [outcome] = await Promise.allSettled([write()]);
    if (outcome?.status === 'rejected') failures += 1;
  }
  disk.free();
  t.match(watch.problem, /^its disk (?:is full|fails, is full or does not lock files)$/);
  t.match(lines, [
    { level: 'warn', about: { cause: /^disk_/ }, message: /^the store cannot be used: its disk/ },
  ]);
  t.equal(lines.length, 1);
});
