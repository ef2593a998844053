// The embedded store's files are accessible to their owner alone.

import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openStore } from '../../src/store/open-store.js';
import { filesOpenToOthers } from '../../src/store/private-file.js';
import { watchStore } from '../../src/store/watch/store-watch.js';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const PRIVATE = { 'tollgate.db': '600', 'tollgate.db-shm': '600', 'tollgate.db-wal': '600' };

/** Opens and closes a store in a folder, and returns the modes of all files in it. */
async function modesAfterOpening(folder: string): Promise<Record<string, string>> {
  const store = openStore(`file:${join(folder, 'tollgate.db')}`, '/');
  if (store.kind !== 'embedded') throw new TypeError('a file is an embedded store');
  await store.transact((transaction) => transaction.put('key', 'value', transaction.nowMs + 60_000));
  const modes = Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));
  await store.close();
  return modes;
}

t.test('tollgate.db is readable by its owner alone', async (t) => {
  const before = process.umask(0);
  t.teardown(() => process.umask(before));
  const folder = join(tempDir(t), 'new', 'data');
  t.strictSame(await modesAfterOpening(folder), PRIVATE);
  t.equal(modeOf(folder), '700');
});

t.test('existing files become private, and an existing folder is unchanged', async (t) => {
  const folder = join(tempDir(t), 'data');
  mkdirSync(folder, { mode: 0o755 });
  await modesAfterOpening(folder);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o664);
  t.strictSame(await modesAfterOpening(folder), PRIVATE);
  t.equal(modeOf(folder), '755');
});

t.test('a file readable by others with a mode that cannot be changed is logged', async (t) => {
  const path = join(tempDir(t), 'tollgate.db');
  const store = openStore(`file:${path}`, '/');
  t.teardown(() => store.close());
  const told: object[] = [];
  const log = { info() {}, warn: (about: object) => void told.push(about) };
  const watch = () => watchStore(store, { variable: 'STORE_URL', holds: ['sessions'], log });
  watch();
  t.strictSame(told, []);
  chmodSync(path, 0o640);
  t.strictSame(filesOpenToOthers(path), [path]);
  watch();
  t.strictSame(told, [{ path }]);
});
