// An application with the bearer guard, in a separate process, proves that a generation was used.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { exportAccessKeys, openKeyRing } from '@tollgate/shared/crypto';
import { eachKind } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { heldFrom, logIn, refresh, SECRETS, startNode, userDirectory } from './support/session-node.js';

const ANN = 'ann@example.com';
const OUTSIDE_WINDOW_MS = 60_000;

const hosts = [
  {
    name: 'a thief is not served once an application with a store has verified the next token',
    hasStore: true,
    status: 401,
  },
  {
    name: 'without a store the application proves nothing, as its documentation says',
    hasStore: false,
    status: 200,
  },
];
for (const { name, hasStore, status } of hosts) {
  t.test(name, async (t) => {
    await eachKind(t, async (t, { store, url, age }) => {
      const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
      const host = await startHost(t, hasStore ? url : undefined);
      const stolen = await logIn(node, ANN);
      const { accessToken } = heldFrom(await refresh(node, stolen));
      for (let use = 0; use < 3; use++) t.equal(await host.ask(accessToken), 200);
      // The request does not wait for its write; stopping waits for the connection.
      await host.stop();
      await age(OUTSIDE_WINDOW_MS);
      t.equal((await refresh(node, stolen)).statusCode, status);
    });
  });
}

async function startHost(t: Test, storeUrl: string | undefined) {
  const program = fileURLToPath(new URL('./support/guarded-host.js', import.meta.url));
  const env = {
    ...process.env,
    ACCESS_SECRET: SECRETS.ACCESS_SECRET,
    ACCESS_KEYS: exportAccessKeys(openKeyRing(SECRETS.ENCRYPTION_KEY)),
    ...(storeUrl === undefined ? {} : { STORE_URL: storeUrl }),
  };
  // It starts sooner without this process's options, such as source maps.
  const child = fork(program, { env, execArgv: [] });
  const gone = once(child, 'exit');
  const stop = async () => {
    if (child.connected) child.disconnect();
    await gone;
  };
  t.teardown(stop);
  const [address] = (await once(child, 'message')) as [string];
  const ask = async (accessToken: string) =>
    (await fetch(address, { headers: { authorization: `Bearer ${accessToken}`, connection: 'close' } }))
      .status;
  return { ask, stop };
}
