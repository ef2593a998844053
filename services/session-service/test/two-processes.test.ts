// Two processes on one store: two services, or a service and an application with the bearer guard.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportAccessKeys, openKeyRing } from '@tollgate/shared/crypto';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { openEmbeddedDirectory } from '../src/directory/embedded-directory.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import {
  API_KEY,
  heldFrom,
  logIn,
  PASSWORD,
  refresh,
  SECRETS,
  startNode,
  until,
  userDirectory,
} from './support/session-node.js';
import { startRunningService } from './support/session-process.js';

const ANN = 'ann@example.com';
const OUTSIDE_WINDOW_MS = 60_000;

// A session ended in one service is ended in the other.

async function check(t: Test, storeUrl: string, folder: string): Promise<void> {
  const usersUrl = `file:${join(folder, 'users.db')}`;
  const directory = openEmbeddedDirectory(join(folder, 'users.db'));
  await directory.add('ann@example.com', await hashPassword(PASSWORD));
  await directory.close();
  const env = { STORE_URL: storeUrl, USERS_URL: usersUrl, SESSION_API_KEY: API_KEY };
  const [here, there] = await Promise.all([startRunningService(t, env), startRunningService(t, env)]);

  const logIn = async (): Promise<string> => {
    const answer = await fetch(`${here.publicUrl}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@example.com', password: PASSWORD }),
    });
    return ((await answer.json()) as { accessToken: string }).accessToken;
  };
  const ask = (url: string, token: string, method = 'GET') =>
    fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
  const refusedWithin = async (token: string): Promise<number> => {
    const sinceMs = performance.now();
    await until(async () => (await ask(`${there.publicUrl}/profile`, token)).status === 401);
    return performance.now() - sinceMs;
  };

  const [first, second] = [await logIn(), await logIn()];
  for (const token of [first, second]) {
    t.equal((await ask(`${there.publicUrl}/profile`, token)).status, 200);
  }
  t.equal((await ask(`${here.publicUrl}/logout`, first, 'POST')).status, 204);
  const afterLogout = await refusedWithin(first);
  t.ok(afterLogout < 1000, `refused in the other process after ${Math.round(afterLogout)} ms`);
  t.equal((await ask(`${there.publicUrl}/verify`, second)).status, 204);

  t.equal((await ask(`${here.adminUrl}/users/1/sessions`, API_KEY, 'DELETE')).status, 204);
  const afterEnd = await refusedWithin(second);
  t.ok(afterEnd < 1000, `refused in the other process after ${Math.round(afterEnd)} ms`);
  const metrics = await (await fetch(`${there.adminUrl}/metrics`)).text();
  t.match(metrics, /^tollgate_revocation_lag_seconds 0$/m);
  t.match(metrics, /^process_resident_memory_bytes \d+/m);

  const log = [...here.log, ...there.log].join('\n');
  for (const secret of [first, second, API_KEY, PASSWORD]) t.notMatch(log, secret);
}

t.test('a session ended in one process is ended in the other, on Redis', async (t) =>
  check(t, (await startRedis(t)).url, tempDir(t)),
);

t.test('a session ended in one process is ended in the other, on the embedded store', async (t) => {
  const folder = tempDir(t);
  await check(t, `file:${join(folder, 'store.db')}`, folder);
});

// An application with the bearer guard proves that a generation was used.

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
