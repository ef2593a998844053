// The embedded store with dying processes, a full disk, and containers whose process ids are equal.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEATHS, dieOften } from '@tollgate/test-support/deaths.js';
import { namespacesMissing, nodeInNamespace } from '@tollgate/test-support/pid-namespace.js';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
import { StoreUnavailableError } from '../../src/store/store.js';

// A process that dies in any way neither loses acknowledged writes nor stops the others: `npm run bench -- deaths`
// repeats it 4,000 times.

const COUNT = 8;

for (const way of DEATHS) {
  t.test(`a process that ends by ${way} while writing stops no other`, async (t) => {
    const { stuck, otherDeaths, lost, commits } = await dieOften(tempDir(t), way, COUNT);
    t.strictSame({ stuck, otherDeaths, lost }, { stuck: 0, otherDeaths: 0, lost: 0 });
    t.ok(commits > COUNT, `${commits} commits`);
  });
}

// A full disk: writes are rejected, stored values stay, and writing recovers once there is room.

const disk = mountSmallDisk(t, 2);
const skip = disk === undefined && 'SKIPPED: this user may not mount a file system';

t.test('a full disk does not end the processes', { skip }, async (t) => {
  if (disk === undefined) return;
  const path = join(disk.folder, 'store');
  const store = openEmbeddedStore(path);
  t.teardown(() => store.close());
  const kept: string[] = [];
  let number = 0;
  const writeSome = async () => {
    const keys = Array.from({ length: 8 }, () => `key ${++number}`);
    const put = (key: string) => store.transact((tx) => tx.put(key, 'x'.repeat(200), tx.nowMs + 600_000));
    const results = await Promise.allSettled(keys.map(put));
    kept.push(...keys.filter((_key, at) => results[at]?.status === 'fulfilled'));
    return results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as Error);
  };
  t.strictSame(await writeSome(), []);

  for (let round = 0; round < 3; round++) {
    disk.fill();
    let errors: Error[] = [];
    while (errors.length === 0) errors = await writeSome();
    t.ok(errors.every((error) => error instanceof StoreUnavailableError));
    t.match(
      errors[0]?.message,
      /cannot be used: its disk (?:is full|fails, is full or does not lock files)$/,
    );
    t.equal(await store.read('key 1'), 'x'.repeat(200), 'reading goes on');
    disk.free();
    t.strictSame(await writeSome(), [], 'there is room again');
  }
  for (const key of kept) if ((await store.read(key)) === undefined) t.fail(`${key} is lost`);
  t.ok(kept.length >= 32, `${kept.length} entries are kept`);
});

// Two containers on one file: a process has the same id in each of them.

const INCREMENT = fileURLToPath(new URL('./programs/increment.js', import.meta.url));
const noNamespaces = namespacesMissing();
const { execPath, execArgv } = nodeInNamespace;

async function runInNamespace(args: readonly string[]): Promise<string> {
  const child = spawn(execPath, [...execArgv, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return out;
}

t.test(
  'none of 900 increments by three processes with the same id is lost',
  { skip: noNamespaces },
  async (t) => {
    t.equal(await runInNamespace(['-p', 'process.pid']), '1\n');
    const path = join(tempDir(t), 'store');
    await Promise.all([1, 2, 3].map(() => runInNamespace([INCREMENT, path, '300'])));
    const store = openEmbeddedStore(path);
    t.teardown(() => store.close());
    t.equal(await store.read('count'), '900');
  },
);

t.test(
  'killing one of three processes with the same id harms neither the others nor the file',
  { skip: noNamespaces },
  async (t) => {
    const { stuck, otherDeaths, lost, commits } = await dieOften(tempDir(t), 'SIGKILL', 8, nodeInNamespace);
    t.strictSame({ stuck, otherDeaths, lost }, { stuck: 0, otherDeaths: 0, lost: 0 });
    t.ok(commits > 8, `${commits} commits`);
  },
);
