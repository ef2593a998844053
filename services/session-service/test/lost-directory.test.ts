// The service after its user file was lost, over HTTP, as with an unmounted volume.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { openEmbeddedDirectory } from '../src/directory/embedded-directory.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import { openServiceHere, startSessionService } from './support/session-process.js';
import {
  checksOf,
  cookieOf,
  errorsOf,
  logIn,
  PASSWORD,
  refresh,
  startReadyService,
} from './support/session-visit.js';

async function check(t: Test, storeUrl: string): Promise<void> {
  const folder = tempDir(t);
  const users = join(folder, 'users.db');
  const directory = openEmbeddedDirectory(users);
  await directory.add('ada@example.com', await hashPassword(PASSWORD));
  directory.copyTo(join(folder, 'kept'));
  await directory.close();
  const env = { DATA_DIR: folder, STORE_URL: storeUrl, USERS_URL: `file:${users}` };

  const before = await startReadyService(t, env);
  const cookie = cookieOf(await logIn(before));
  t.equal((await refresh(before, cookie)).status, 200);
  await before.stop();

  for (const file of [users, `${users}-wal`, `${users}-shm`]) rmSync(file, { force: true });
  const without = await startReadyService(t, env);
  const answer = await refresh(without, cookie);
  t.equal(answer.status, 200, 'the session goes on');
  t.equal((await logIn(without)).status, 503, 'nobody signs in');
  t.match(errorsOf(without)[0], {
    variable: 'USERS_URL',
    msg: /^the user directory is rejected: it has none of the users/,
  });
  t.equal((await checksOf(without)).directory, 'failed');
  await without.stop();

  for (const file of [users, `${users}-wal`, `${users}-shm`]) rmSync(file, { force: true });
  renameSync(join(folder, 'kept'), users);
  const after = await startReadyService(t, env);
  t.equal((await refresh(after, cookieOf(answer))).status, 200, 'the session has survived');
  t.equal((await logIn(after)).status, 200);
}

t.test('a missing user file became an empty one and ended all sessions, on Redis', async (t) => {
  await check(t, (await startRedis(t)).url);
});

t.test('a missing user file became an empty one and ended all sessions, on the embedded store', async (t) => {
  await check(t, `file:${join(tempDir(t), 'store')}`);
});

t.test('a damaged user file or store stops the start with one line', async (t) => {
  const folder = tempDir(t);
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'text'), 'no database '.repeat(1000));
  const REMEDY = 'restore a copy, or move it away to start with an empty one';
  for (const [variable, name, reason] of [
    ['STORE_URL', 'text', `it is not a database: ${REMEDY}`],
    ['STORE_URL', 'folder', 'it is not a file'],
    ['USERS_URL', 'text', `it is not a database: ${REMEDY}`],
    ['USERS_URL', 'folder', 'it is not a file'],
  ] as const) {
    const path = join(folder, name);
    const mistake = await openServiceHere(t, { [variable]: `file:${path}` }).catch((error) => error);
    t.type(mistake, ConfigurationError);
    t.equal(mistake.lines.length, 1);
    const [line = ''] = mistake.lines;
    t.ok(line.includes(variable) && line.includes(path) && line.endsWith(reason), line);
  }
  const stopped = await startSessionService(t, { STORE_URL: `file:${join(folder, 'folder')}` });
  t.match(stopped, { code: 1, complaint: [/^STORE_URL .* it is not a file$/] });
});
