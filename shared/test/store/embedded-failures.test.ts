// Failures of the store file: a full disk, a held lock, damage, another machine, an unsuitable location.

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { ConfigurationError } from '../../src/schemas/configuration-error.js';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
import { openConfiguredStore } from '../../src/store/open-store.js';
import { openDatabase } from '../../src/store/sqlite.js';
import {
  lookAtPlace,
  machineId,
  otherMachines,
  recordMachine,
  watchEmbedded,
} from '../../src/store/watch/embedded-watch.js';
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

// A damaged file causes one line with its name and a remedy, instead of ending the process by a signal.

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

// Log lines about the store file: use by another machine, and unsuitable locations.

const HERE = { network: undefined, isFuse: false, isMountedAlone: false, hasSecondName: false };
const noMachineId = machineId() === undefined ? 'this system tells no id of the machine' : false;

t.test(
  'another machine that uses the file is logged once, an ended one is not',
  { skip: noMachineId },
  async (t) => {
    const store = openEmbeddedStore(join(tempDir(t), 'tollgate.db'));
    const there = openEmbeddedStore(store.path);
    const lines: { about: object; message: string }[] = [];
    const log = { info() {}, warn: (about: object, message: string) => void lines.push({ about, message }) };
    // Like a machine before its restart: its entry stays until it expires.
    await recordMachine(there, 'before');
    const watch = watchEmbedded(store, { log, isUser: true }, 10);
    t.teardown(async () => {
      await watch.stop();
      await there.close();
      await store.close();
    });
    const own = `machine:${machineId()}`;
    await until(async () => (await there.read(own)) !== undefined, 'this machine is recorded');
    const recorded = await there.read(own);
    await until(async () => (await there.read(own)) !== recorded, 'and renews its entry');
    t.strictSame(lines, []);
    t.strictSame(
      (await otherMachines(store)).map(({ id }) => id),
      ['before'],
    );
    for (let times = 0; times < 2; times++) {
      await until(async () => {
        await recordMachine(there, 'other');
        return lines.length > 0;
      }, 'it is told');
    }
    t.match(lines, [{ about: { path: store.path }, message: /^another machine uses the file/ }]);
    t.equal(lines.length, 1);
  },
);

t.test('a process that only inspects a store writes nothing to it', async (t) => {
  const store = openEmbeddedStore(join(tempDir(t), 'tollgate.db'));
  t.teardown(() => store.close());
  const watch = watchEmbedded(store, { log: { info() {}, warn() {} }, isUser: false });
  await watch.stop();
  t.strictSame(await store.keys(''), []);
});

t.test("the file's location is described, whether the file exists or not", async (t) => {
  const path = join(tempDir(t), 'a folder', 'tollgate.db');
  t.strictSame(lookAtPlace(path), HERE);
  mkdirSync(join(path, '..'));
  writeFileSync(path, '');
  t.strictSame(lookAtPlace(path), HERE);
  linkSync(path, `${path}.copy`);
  t.strictSame(lookAtPlace(path), { ...HERE, hasSecondName: true });
});

const hasMounts = spawnSync('unshare', ['--mount', 'true']).status === 0;
t.test(
  'a file mounted without its folder is recognised',
  { skip: hasMounts ? false : 'this user may not mount' },
  async (t) => {
    const folder = join(tempDir(t), 'a folder');
    mkdirSync(folder);
    for (const name of ['here.db', 'there.db']) writeFileSync(join(folder, name), '');
    const module = pathToFileURL(
      new URL('../../src/store/watch/embedded-watch.js', import.meta.url).pathname,
    );
    const look = `import('${module}').then((m) => console.log(JSON.stringify(m.lookAtPlace(process.argv[1]))))`;
    const script = 'mount --bind "$1" "$2" && exec "$3" -e "$4" "$2"';
    const paths = [join(folder, 'there.db'), join(folder, 'here.db')];
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', script, 'sh', ...paths, process.execPath, look],
      { encoding: 'utf8' },
    );
    t.equal(stderr, '');
    t.strictSame(JSON.parse(stdout), { isFuse: false, isMountedAlone: true, hasSecondName: false });
  },
);
