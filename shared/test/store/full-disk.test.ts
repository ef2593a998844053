// A full disk: writes are rejected, stored values stay, and writing recovers once there is room.

import { join } from 'node:path';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import t from 'tap';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
import { StoreUnavailableError } from '../../src/store/store.js';

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
