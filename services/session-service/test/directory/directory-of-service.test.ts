// The whole service with an existing users table on a real PostgreSQL.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { CURRENT_COST, hashCost, hashPassword } from '../../src/passwords/password-hash.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/session-node.js';
import { openServiceHere, startSessionService } from '../support/session-process.js';

const server = await startPostgres(t);
const PASSWORD = 'right password';
const STATEMENTS = {
  USERS_BY_EMAIL: 'SELECT id, login AS email, pw AS hash, locked AS disabled FROM members WHERE login = $1',
  USERS_BY_ID: 'SELECT id, login AS email, pw AS hash, locked AS disabled FROM members WHERE id = $1',
  USERS_SAVE_HASH: 'UPDATE members SET pw = $3 WHERE id = $1 AND pw = $2',
};
const DIRECTORY = { USERS_URL: server.url, ...STATEMENTS };

t.beforeEach(async () => {
  const argon2id = await hashPassword(PASSWORD);
  const bcrypt = await bcryptHash(PASSWORD, 5);
  await server.start();
  await server.sql(`
    DROP TABLE IF EXISTS members;
    CREATE TABLE members (id bigint PRIMARY KEY, login text UNIQUE, pw text, locked boolean);
    INSERT INTO members VALUES
      (1, 'ada@example.com', '${argon2id}', false), (2, 'bob@example.com', '${argon2id}', true),
      (3, 'old@example.com', '${bcrypt}', NULL), (4, 'sso@example.com', NULL, false)`);
});

function logIn(publicUrl: string, email: string, password: string, cookie = ''): Promise<Response> {
  return fetch(`${publicUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://localhost:8080', cookie },
    body: JSON.stringify({ email, password }),
  });
}

function refresh(publicUrl: string, cookie: string): Promise<Response> {
  return fetch(`${publicUrl}/refresh`, {
    method: 'POST',
    headers: { cookie, origin: 'http://localhost:8080' },
  });
}

/** The cookie set by a response, listed after those that it expires. */
function cookieOf(response: Response): string {
  return response.headers.getSetCookie().at(0)?.split(';')[0] ?? '';
}

/** A whole response without its variable parts: the time, the remaining limit, the ticket's bytes. */
async function wholeOf(response: Response) {
  const headers = [...response.headers].filter(
    ([name]) => !/^(?:date|ratelimit-(?:remaining|reset))$/.test(name),
  );
  const body = (await response.text()).replace(/("pow_scope":")([^"]*)/, (_all, name, ticket) => {
    return `${name}${ticket.length} characters`;
  });
  return { status: response.status, headers, body };
}

t.test(
  'accounts enumerated by status, headers or body: unknown, disabled and wrong get one response',
  async (t) => {
    const { publicUrl } = await openServiceHere(t, DIRECTORY);
    const wrong = await wholeOf(await logIn(publicUrl, 'ada@example.com', 'wrong password'));
    t.equal(wrong.status, 422);
    t.match(JSON.parse(wrong.body), { code: 'login_failed', captcha_required: false });
    for (const email of ['eve@example.com', 'bob@example.com', 'old@example.com', 'sso@example.com']) {
      t.strictSame(await wholeOf(await logIn(publicUrl, email, 'wrong password')), wrong, email);
    }
    t.strictSame(
      await wholeOf(await logIn(publicUrl, 'bob@example.com', PASSWORD)),
      wrong,
      'disabled, but right',
    );
  },
);

t.test(
  'accounts enumerated by two rows for one address: the responses are those of an unknown account',
  async (t) => {
    await server.sql(`
    INSERT INTO members
    SELECT names.id, login, pw, locked FROM (VALUES (11, 'Ann@example.com'), (12, 'ann@example.com')) AS names (id, name),
      LATERAL (SELECT names.name AS login, pw, locked FROM members WHERE members.id = 1) AS ada`);
    const USERS_BY_EMAIL = STATEMENTS.USERS_BY_EMAIL.replace('login = $1', 'lower(login) = $1');
    const { publicUrl, log } = await openServiceHere(t, { ...DIRECTORY, USERS_BY_EMAIL });
    const answersTo = async (email: string) => {
      const answers = [];
      // The fifth failure makes the account wait.
      for (let tries = 0; tries < 6; tries++)
        answers.push(await wholeOf(await logIn(publicUrl, email, PASSWORD)));
      return answers.map(({ status, headers, body }) => ({
        status,
        headers: headers.filter(([name]) => name !== 'retry-after'),
        body,
      }));
    };
    const unknown = await answersTo('eve@example.com');
    t.strictSame(
      unknown.map(({ status }) => status),
      [422, 422, 422, 422, 422, 429],
    );
    t.strictSame(await answersTo('ann@example.com'), unknown);
    t.match(
      log.map((line) => JSON.parse(line)).filter(({ uids }) => uids !== undefined),
      Array.from({ length: 5 }, () => ({
        level: 'warn',
        msg: 'nobody can log in to this account',
        reason: 'USERS_BY_EMAIL returned more than one user',
        uids: [11, 12],
      })),
    );
    t.notMatch(log.join('\n'), /ann@/i);
  },
);

t.test('an old hash is replaced at the first login', async (t) => {
  const { publicUrl } = await openServiceHere(t, DIRECTORY);
  t.equal((await logIn(publicUrl, ' OLD@example.com', PASSWORD)).status, 200);
  const [row] = await server.sql('SELECT pw FROM members WHERE id = 3');
  t.equal(hashCost(String(row?.pw)), CURRENT_COST);
  t.equal((await logIn(publicUrl, 'old@example.com', PASSWORD)).status, 200);
});

t.test('a device stays known after a rehash, but not after a new password in the table', async (t) => {
  const { publicUrl, log } = await openServiceHere(t, DIRECTORY);
  const lastLogIn = () => log.map((line) => JSON.parse(line)).findLast(({ event }) => event === 'login');
  const first = await logIn(publicUrl, 'old@example.com', PASSWORD);
  const cookie = first.headers.getSetCookie().find((text) => text.startsWith('knownDevice=')) ?? '';
  const device = cookie.slice(0, cookie.indexOf(';'));
  t.equal((await logIn(publicUrl, 'old@example.com', PASSWORD, device)).status, 200);
  t.equal(lastLogIn().known_device, true);
  await server.sql(`UPDATE members SET pw = '${await hashPassword(PASSWORD)}' WHERE id = 3`);
  t.equal((await logIn(publicUrl, 'old@example.com', PASSWORD, device)).status, 200);
  t.equal(lastLogIn().known_device, false, 'although the text of the password is the same');
});

t.test(
  'without the directory logins fail and refreshes continue; once it is back, logins work again',
  async (t) => {
    const { publicUrl, adminUrl, log } = await openServiceHere(t, { ...DIRECTORY, REFRESH_WINDOW: '0' });
    const started = await logIn(publicUrl, 'ada@example.com', PASSWORD);
    t.equal(started.status, 200);
    t.equal((await fetch(`${adminUrl}/health/ready`)).status, 200);

    await server.stop();
    const refused = await logIn(publicUrl, 'ada@example.com', PASSWORD);
    t.equal(refused.status, 503);
    t.equal(refused.headers.get('retry-after'), '1');
    t.strictSame(refused.headers.getSetCookie(), []);
    const first = await refresh(publicUrl, cookieOf(started));
    t.equal(first.status, 200);
    t.match(await first.json(), { accessToken: /^\S+$/, expiresIn: 900 });
    const ready = await fetch(`${adminUrl}/health/ready`);
    t.equal(ready.status, 200, 'refreshes go on');
    t.match(await ready.json(), { status: 'degraded', checks: { directory: 'failed', store: 'ok' } });

    await server.start();
    await server.sql("UPDATE members SET login = 'lovelace@example.com' WHERE id = 1");
    const second = await refresh(publicUrl, cookieOf(first));
    t.equal(second.status, 200);
    t.equal((await fetch(`${adminUrl}/health/ready`)).status, 200);
    const { accessToken } = (await second.json()) as { accessToken: string };
    const profile = await fetch(`${publicUrl}/profile`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    t.match(await profile.json(), { email: 'lovelace@example.com' });

    await server.sql('UPDATE members SET locked = true WHERE id = 1');
    const other = cookieOf(second);
    t.match(await (await refresh(publicUrl, other)).json(), { code: 'session_revoked' });
    await server.sql('UPDATE members SET locked = false WHERE id = 1');
    t.equal((await refresh(publicUrl, other)).status, 401, 'the session ended with the account');

    const text = log.join('\n');
    for (const secret of [server.password, PASSWORD, '$argon2id$', 'ada@example.com']) {
      t.notOk(text.includes(secret), 'nothing secret is in the log');
    }
  },
);

t.test(
  'an application logs in users without a password, and an unavailable database spends no code',
  async (t) => {
    const SESSION_API_KEY = 'session-key-of-this-test-0123456789abc';
    const { publicUrl, adminUrl } = await openServiceHere(t, { ...DIRECTORY, SESSION_API_KEY });
    const origin = 'http://localhost:8080';
    const post = (url: string, body: object, authorization: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, authorization },
        body: JSON.stringify(body),
      });
    const ask = (id: number) =>
      post(`${adminUrl}/users/${id}/sign-in-codes`, { origin, amr: ['otp'] }, `Bearer ${SESSION_API_KEY}`);
    const jsonOf = async (answer: Response) => (await answer.json()) as Record<string, string>;
    t.match(await jsonOf(await ask(2)), { code: 'user_disabled' });
    t.match(await jsonOf(await ask(9)), { code: 'unknown_user' });

    const { code } = await jsonOf(await ask(4));
    await server.stop();
    for (const answer of [await ask(4), await post(`${publicUrl}/login/code`, { code }, '')]) {
      t.equal(answer.status, 503);
      t.match(await jsonOf(answer), { code: 'store_unavailable' });
    }
    await server.start();
    const started = await post(`${publicUrl}/login/code`, { code }, '');
    t.equal(started.status, 200, 'the code is unspent');
    const { accessToken } = await jsonOf(started);
    const profile = await fetch(`${publicUrl}/profile`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    t.strictSame(await jsonOf(profile), { id: 4, email: 'sso@example.com' });
    t.equal((await refresh(publicUrl, cookieOf(started))).status, 200);
    const again = await jsonOf(await ask(4));
    const renewed = await post(
      `${publicUrl}/reauthenticate/code`,
      { code: again.code },
      `Bearer ${accessToken}`,
    );
    t.equal(renewed.status, 200);
    const withPassword = await post(`${publicUrl}/reauthenticate`, { password: '' }, `Bearer ${accessToken}`);
    t.equal(withPassword.status, 422);
    const wrong = await post(`${publicUrl}/reauthenticate`, { password: PASSWORD }, `Bearer ${accessToken}`);
    t.match(
      await jsonOf(wrong),
      { code: 'login_failed' },
      'a user without a password proves nothing with one',
    );

    const gone = await jsonOf(await ask(1));
    await server.sql('DELETE FROM members WHERE id = 1');
    t.match(await jsonOf(await post(`${publicUrl}/login/code`, { code: gone.code }, '')), {
      code: 'code_invalid',
    });
  },
);

t.test('passwords can be changed only where USERS_SAVE_HASH is set', async (t) => {
  const SESSION_API_KEY = 'session-key-of-this-test-0123456789abc';
  const send = (method: string, url: string, body: object, authorization: string) =>
    fetch(url, {
      method,
      headers: { 'content-type': 'application/json', origin: 'http://localhost:8080', authorization },
      body: JSON.stringify(body),
    });
  const service = await openServiceHere(t, { ...DIRECTORY, SESSION_API_KEY });
  const started = await logIn(service.publicUrl, 'ada@example.com', PASSWORD);
  const { accessToken } = (await started.json()) as { accessToken: string };
  const changed = await send(
    'POST',
    `${service.publicUrl}/password`,
    { old_password: PASSWORD, new_password: 'chosen by ada' },
    `Bearer ${accessToken}`,
  );
  t.equal(changed.status, 204);
  t.equal((await logIn(service.publicUrl, 'ada@example.com', PASSWORD)).status, 422);
  t.equal((await logIn(service.publicUrl, 'ada@example.com', 'chosen by ada')).status, 200);
  const set = (id: number) =>
    send(
      'PUT',
      `${service.adminUrl}/users/${id}/password`,
      { new_password: PASSWORD },
      `Bearer ${SESSION_API_KEY}`,
    );
  t.equal((await set(1)).status, 204);
  t.equal((await logIn(service.publicUrl, 'ada@example.com', PASSWORD)).status, 200);
  const none = await set(4);
  t.equal(none.status, 409, 'the statement does not match a hash that is NULL');
  t.match(await none.json(), { code: 'password_conflict' });

  const reading = await openServiceHere(t, { ...DIRECTORY, USERS_SAVE_HASH: '', SESSION_API_KEY });
  const url = `${reading.adminUrl}/users/1/password`;
  const refused = await send('PUT', url, { new_password: PASSWORD }, `Bearer ${SESSION_API_KEY}`);
  t.equal(refused.status, 409);
  t.match(await refused.json(), { code: 'directory_read_only' });
});

t.test('it starts without its database, logs that, and works once the database responds', async (t) => {
  await server.stop();
  const { publicUrl, adminUrl, log } = await openServiceHere(t, DIRECTORY);
  const warnings = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
  t.match(warnings, [
    {
      variable: 'USERS_URL',
      msg: 'the user database does not respond: the socket does not exist; logins get 503 until it does',
    },
  ]);
  t.match(await (await fetch(`${adminUrl}/health/ready`)).json(), { checks: { directory: 'failed' } });
  await server.start();
  t.equal((await fetch(`${adminUrl}/health/ready`)).status, 200);
  t.equal((await logIn(publicUrl, 'ada@example.com', PASSWORD)).status, 200);
});

t.test('an error stops the start with one line', async (t) => {
  const cases: [Record<string, string>, string[]][] = [
    [
      { USERS_BY_EMAIL: 'SELECT id, login AS email, pw AS hash FROM members WHERE login = $1' },
      ['USERS_BY_EMAIL returns no column disabled'],
    ],
    [
      { USERS_BY_ID: 'SELECT * FROM member WHERE id = $1', USERS_SAVE_HASH: '' },
      ['USERS_BY_ID does not run: relation "member" does not exist'],
    ],
    [
      { USERS_URL: server.url.replace(server.password, 'wrong-secret') },
      ['USERS_URL is wrong: the user database does not respond: the server rejects the user or the password'],
    ],
    [
      { USERS_BY_EMAIL: '', USERS_BY_ID: 'SELECT $1, $2' },
      [
        'USERS_BY_EMAIL is missing: with postgres:// it must be a statement that finds a user by $1',
        'USERS_BY_ID must use $1 and no other placeholder',
      ],
    ],
    [{ USERS_URL: 'module:package.json' }, [] as string[]],
  ];
  for (const [env, lines] of cases) {
    const mistake = await openServiceHere(t, { ...DIRECTORY, ...env }).catch((error) => error);
    t.type(mistake, ConfigurationError);
    if (lines.length > 0) t.strictSame(mistake.lines, lines);
    else t.match(mistake.lines.join('\n'), /^USERS_URL names a module that cannot be loaded: [^\n]*$/);
  }
  const [[env, complaint] = [{}, []]] = cases;
  t.strictSame(await startSessionService(t, { ...DIRECTORY, ...env }), { code: 1, complaint });
});

t.test('an error in the operator’s own driver was logged without its message', async (t) => {
  const path = join(tempDir(t), 'driver.mjs');
  writeFileSync(
    path,
    `const refuse = async (key) => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:3306, looking for ' + key);
    };
    export default { findByEmail: refuse, findById: refuse, health: async () => {}, close: async () => {} };`,
  );
  const { publicUrl, log } = await openServiceHere(t, { USERS_URL: `module:${path}` });
  t.equal((await logIn(publicUrl, 'ada@example.com', PASSWORD)).status, 503);
  const message =
    "the driver's findByEmail threw Error: connect ECONNREFUSED 10.0.0.7:3306, looking for [hidden]";
  const errors = () => log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  await until(async () => errors().length > 0);
  t.match(errors()[0], { msg: 'the directory did not respond', err: { message } });
  t.notMatch(log.join('\n'), 'ada@example.com');
});

t.test('the operator’s own driver works', async (t) => {
  const USERS_URL = 'module:services/session-service/test/directory/example-driver.js';
  const { publicUrl, adminUrl } = await openServiceHere(t, { USERS_URL });
  t.equal((await fetch(`${adminUrl}/health/ready`)).status, 200);
  t.equal((await logIn(publicUrl, 'ada@example.com', PASSWORD)).status, 422);
});
