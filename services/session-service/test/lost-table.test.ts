// The service after its users table in PostgreSQL was emptied or dropped during sessions.

import { ConfigurationError } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { runSession } from '../src/cli/session.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import { startPostgres } from './support/postgres.js';
import { openServiceHere } from './support/session-process.js';
import {
  checksOf,
  cookieOf,
  errorsOf,
  logIn,
  PASSWORD,
  refresh,
  startReadyService,
} from './support/session-visit.js';

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
