// Services that the tests of a file share: a start takes longer than most tests.

import { raiseCommandTimeout } from '@tollgate/test-support/command-timeout.js';
import { embeddedStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import root, { type Test } from 'tap';

const STORES = {
  'on Redis': () => redisStore(root, raiseCommandTimeout),
  'on the embedded store': async () => embeddedStore(root),
};

/**
 * Returns a function that runs a sub-test on a private Redis and on an embedded store, with a service that is opened once
 * for each. Tests must not see each other's sessions, nor use up each other's limits.
 * @param open receives the file's own test, with which the service ends
 */
export function onSharedServices<Opened>(
  open: (root: Test, place: StoreUnderTest) => Promise<Opened>,
): (t: Test, run: (t: Test, opened: Opened) => Promise<void>) => Promise<void> {
  const services = new Map<string, Promise<Opened>>();
  return async (t, run) => {
    for (const [name, openStore] of Object.entries(STORES)) {
      await t.test(name, async (t) => {
        const service = services.get(name) ?? openStore().then((place) => open(root, place));
        services.set(name, service);
        await run(t, await service);
      });
    }
  };
}
