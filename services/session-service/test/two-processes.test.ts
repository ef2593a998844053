// Two service processes on one store, over HTTP: a session ended in one is ended in the other.

import { join } from 'node:path';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { openEmbeddedDirectory } from '../src/directory/embedded-directory.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import { API_KEY, PASSWORD, until } from './support/session-node.js';
import { startRunningService } from './support/session-process.js';

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

t.test('on Redis', async (t) => check(t, (await startRedis(t)).url, tempDir(t)));

t.test('on the embedded store', async (t) => {
  const folder = tempDir(t);
  await check(t, `file:${join(folder, 'store.db')}`, folder);
});
