// A damaged file causes one line with its name and a remedy, instead of ending the process by a signal.

import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { ConfigurationError } from '../../src/schemas/configuration-error.js';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
import { openConfiguredStore } from '../../src/store/open-store.js';

/** A store of some 400 kB, closed. */
async function filledStore(t: Test): Promise<{ folder: string; path: string }> {
  const folder = tempDir(t);
  const original = join(folder, 'original');
  const store = openEmbeddedStore(original);
  await store.transact((tx) => {
    for (let at = 0; at < 2000; at++) tx.put(`key ${at}`, 'x'.repeat(150), tx.nowMs + 60_000);
  });
  await store.close();
  const path = join(folder, 'whole');
  copyFileSync(original, path);
  return { folder, path };
}

function lineOf(path: string): string {
  try {
    void openConfiguredStore('STORE_URL', `file:${path}`, '/').close();
  } catch (error) {
    if (error instanceof ConfigurationError && error.lines.length === 1) return error.lines[0] ?? '';
    throw error;
  }
  return 'it opens';
}

const REMEDY = 'restore a copy, or move it away to start with an empty one';

t.test('damage in any place is detected when the file is opened', async (t) => {
  const { folder, path } = await filledStore(t);
  const whole = readFileSync(path);
  const damages: Record<string, (bytes: Buffer) => Buffer> = {
    'random bytes in a page': (bytes) => bytes.fill(0x5a, 5 * 4096, 5 * 4096 + 512),
    'random bytes everywhere': (bytes) => {
      for (let at = 4096; at < bytes.length; at += 777) bytes[at] = 255 - (bytes[at] ?? 0);
      return bytes;
    },
    'cut off': (bytes) => bytes.subarray(0, bytes.length / 2),
    'cut off after its first page': (bytes) => bytes.subarray(0, 4096),
  };
  for (const [name, damage] of Object.entries(damages)) {
    const copy = join(folder, name);
    writeFileSync(copy, damage(Buffer.from(whole)));
    t.equal(lineOf(copy), `STORE_URL file:${copy} cannot be opened: it is damaged: ${REMEDY}`);
  }
  const kept = join(folder, 'kept');
  copyFileSync(path, kept);
  t.equal(lineOf(kept), 'it opens');
});

t.test("a file that is not this program's database is unchanged", async (t) => {
  const { folder, path } = await filledStore(t);
  const files: Record<string, Buffer | string> = {
    'a letter': 'x',
    zeros: Buffer.alloc(8192),
    text: 'this is no database '.repeat(1000),
    'the file of an earlier version': Buffer.concat([
      Buffer.alloc(24),
      Buffer.from('dec0efbe', 'hex'),
      Buffer.alloc(8192),
    ]),
    'a wrong version': Buffer.from(readFileSync(path)).fill(9, 18, 20),
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    writeFileSync(file, content);
    t.equal(lineOf(file), `STORE_URL file:${file} cannot be opened: it is not a database: ${REMEDY}`);
    t.same(readFileSync(file), Buffer.from(content as string), 'nothing was written to it');
  }
  const other = join(folder, 'other');
  copyFileSync(path, other);
  // The application id.
  writeFileSync(other, Buffer.from(readFileSync(other)).fill(1, 68, 72));
  t.match(lineOf(other), /cannot be opened: it is a database of another program$/);
  const newer = join(folder, 'newer');
  writeFileSync(newer, Buffer.from(readFileSync(path)).fill(1, 60, 64));
  t.match(lineOf(newer), /cannot be opened: a newer version of this program wrote it: use that version$/);
});

t.test('a folder in place of the file, or of one beside it, causes one line', async (t) => {
  const { folder, path } = await filledStore(t);
  mkdirSync(join(folder, 'folder'));
  t.match(lineOf(join(folder, 'folder')), /^STORE_URL file:.*folder cannot be opened: it is not a file$/);
  mkdirSync(`${path}-wal`);
  t.match(
    lineOf(path),
    /^STORE_URL file:.*whole cannot be opened: this user may not open it, or a file beside it$/,
  );
});

t.test('a damaged log beside the file is ignored from its damage on', async (t) => {
  const { path } = await filledStore(t);
  writeFileSync(`${path}-wal`, Buffer.alloc(100_000, 7));
  writeFileSync(`${path}-shm`, Buffer.alloc(32_768, 9));
  const store = openEmbeddedStore(path);
  t.teardown(() => store.close());
  t.equal((await store.read('key 7'))?.length, 150);
});

t.test('a copy made during writes is complete, and can replace the file', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'store');
  const store = openEmbeddedStore(path);
  let written = 0;
  const writing = (async () => {
    for (; written < 500; written++)
      await store.transact((tx) => tx.put(`key ${written}`, 'x', tx.nowMs + 60_000));
  })();
  while (written < 100) await new Promise((resolve) => setImmediate(resolve));
  const least = written;
  const copy = join(folder, 'backups', 'copy');
  store.copyTo(copy);
  await writing;
  t.throws(() => store.copyTo(copy), { code: 'EEXIST' }, 'a copy is never overwritten');
  await store.close();

  const place = join(folder, 'damaged');
  copyFileSync(path, place);
  truncateSync(place, 5000);
  t.match(lineOf(place), /it is damaged/);
  for (const file of [place, `${place}-wal`, `${place}-shm`]) rmSync(file, { force: true });
  copyFileSync(copy, place);
  const restored = openEmbeddedStore(place);
  t.teardown(() => restored.close());
  const kept = (await restored.keys('key ')).length;
  t.ok(kept >= least && kept <= written, `${kept} of ${written} entries`);
});
