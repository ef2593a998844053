// The service after its user file, or its users table in PostgreSQL, was lost during sessions.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { runSession } from '../src/cli/session.js';
import { openEmbeddedDirectory } from '../src/directory/embedded-directory.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import { startPostgres } from './support/postgres.js';
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

// The user file, as with an unmounted volume.

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

// The table in PostgreSQL, emptied or dropped.

const server = await startPostgres(t);
const hash = await hashPassword(PASSWORD);

const restore = `
  CREATE TABLE IF NOT EXISTS users (id bigint PRIMARY KEY, email text, hash text, disabled boolean);
  INSERT INTO users VALUES (7, 'ada@example.com', '${hash}', false)`;

const statements = {
  USERS_BY_EMAIL: 'SELECT id, email, hash, disabled FROM users WHERE lower(email) = $1',
  USERS_BY_ID: 'SELECT id, email, hash, disabled FROM users WHERE id = $1',
};

const environment = () => ({
  STORE_URL: `file:${tempDir(t)}/store.db`,
  USERS_URL: server.url,
  ...statements,
});

t.test('an emptied table would have ended all sessions: it is rejected until accepted', async (t) => {
  await server.sql(restore);
  const env = environment();
  const service = await startReadyService(t, env);
  const first = cookieOf(await logIn(service));
  const second = cookieOf(await logIn(service));
  t.equal((await refresh(service, first)).status, 200);

  await server.sql('DELETE FROM users');
  const answer = await refresh(service, second);
  t.equal(answer.status, 200, 'nobody is logged out');
  t.equal((await logIn(service)).status, 503, 'nobody signs in');
  t.equal((await checksOf(service)).directory, 'failed');
  const told = errorsOf(service).filter(({ variable }) => variable === 'USERS_URL');
  t.match(told, [{ msg: /^the user directory is rejected: it has none of the users/ }]);
  t.equal(told.length, 1, 'it says so in one line');

  await server.sql(restore);
  t.equal((await checksOf(service)).directory, 'ok', 'it is accepted again by itself');
  const again = await refresh(service, cookieOf(answer));
  t.equal(again.status, 200);
  t.equal((await logIn(service)).status, 200);

  await server.sql('DELETE FROM users');
  const last = await refresh(service, cookieOf(again));
  t.equal(last.status, 200);
  t.equal(await runSession(['accept-directory'], env), 0);
  // A health request checks the directory again, as the service itself does within ten seconds.
  t.equal((await checksOf(service)).directory, 'ok');
  t.equal((await logIn(service)).status, 422, 'the user is gone then');
  t.equal((await refresh(service, cookieOf(last))).status, 401, 'and so are the sessions');
});

t.test('a dropped table logs nobody out, and without it the service does not start', async (t) => {
  await server.sql(restore);
  const env = environment();
  const before = await startReadyService(t, env);
  const cookie = cookieOf(await logIn(before));
  await server.sql('DROP TABLE users');
  const answer = await refresh(before, cookie);
  t.equal(answer.status, 200, 'nobody is logged out');
  t.equal((await logIn(before)).status, 503, 'nobody signs in');
  for (let times = 0; times < 2; times++) t.equal((await checksOf(before)).directory, 'failed');
  const failing = before.log.filter((line) => /"check":"directory"/.test(line));
  t.equal(failing.length, 1, 'it says so in one line');
  await before.stop();

  const refusal = await openServiceHere(t, env).then(
    () => undefined,
    (error: unknown) => error,
  );
  t.ok(refusal instanceof ConfigurationError, 'it does not start without it');
  t.match(String(refusal), /USERS_BY_ID does not run: relation "users" does not exist/);

  await server.sql(restore);
  const after = await startReadyService(t, env);
  t.equal((await refresh(after, cookieOf(answer))).status, 200, 'the session has survived');
  t.equal((await logIn(after)).status, 200);
});
