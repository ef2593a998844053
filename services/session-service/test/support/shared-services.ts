// Services that the tests of a file share: a start takes longer than most tests.

import { raiseCommandTimeout } from '@tollgate/test-support/command-timeout.js';
import { oncePerFile } from '@tollgate/test-support/once-per-file.js';
import { embeddedStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import root, { type Test } from 'tap';

/**
 * Returns a function that runs a sub-test on a private Redis and on an embedded store, with a service that is opened once
 * for each. Tests must not see each other's sessions, nor use up each other's limits.
 * @param open receives the file's own test, with which the service ends
 */
export function onSharedServices<Opened>(
  open: (root: Test, place: StoreUnderTest) => Promise<Opened>,
): (t: Test, run: (t: Test, opened: Opened) => Promise<void>) => Promise<void> {
  const onRedis = oncePerFile(async () => open(root, await redisStore(root, raiseCommandTimeout)));
  const onFile = oncePerFile(() => open(root, embeddedStore(root)));
  return async (t, run) => {
    await t.test('on Redis', async (t) => run(t, await onRedis()));
    await t.test('on the embedded store', async (t) => run(t, await onFile()));
  };
}
