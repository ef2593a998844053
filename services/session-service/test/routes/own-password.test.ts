// A session's user proves the password again: to change it, or for a step-up.

import { accountPseudonym } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { DirectoryUnavailableError, withAccounts } from '../../src/directory/directory.js';
import { createHashingQueue, createSignIn } from '../../src/passwords/sign-in.js';
import { openAccountEvents } from '../../src/stores/account-events.js';
import {
  API_KEY,
  type Held,
  heldFrom,
  interruptible,
  logIn,
  PASSWORD,
  PUBLIC_URL,
  refresh,
  SECRETS,
  type SessionNode,
  sessionIdOf,
  startNode,
  until,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { codeFor, exchange, introspected } from '../support/sign-in-codes.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const NEW = 'another long password';
const RIGHT = { old_password: PASSWORD, new_password: NEW };
const HOUR_MS = 3_600_000;

// Changing a password: sessions ended, counted failures, and directories that cannot save one.

/** Changes the password as a page does. */
function change({ app }: SessionNode, { accessToken }: Held, body: object = RIGHT, headers = {}) {
  return app.inject({
    method: 'POST',
    url: '/password',
    headers: { authorization: `Bearer ${accessToken}`, origin: PUBLIC_URL, ...headers },
    payload: body,
  });
}

/** Sets the password as an application does. */
function set({ admin }: SessionNode, id: number | string, body: object = { new_password: NEW }) {
  return admin.inject({
    method: 'PUT',
    url: `/users/${id}/password`,
    headers: { authorization: `Bearer ${API_KEY}` },
    payload: body,
  });
}

/** Tries a login. */
function tryLogIn({ app }: SessionNode, email: string, password: string) {
  return app.inject({ method: 'POST', url: '/login', payload: { email, password } });
}

/** The audit events in a log, without variable fields. */
function auditOf(lines: readonly string[], ...events: string[]) {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ type, event }) => type === 'audit' && events.includes(event))
    .map(({ event, uid, sid, by, reason }) => ({ event, uid, sid, by, reason }));
}

t.test('the user changes the password: the other sessions end, this one continues', async (t) => {
  await eachKind(t, async (t, { store, clock }) => {
    const lines: string[] = [];
    const directory = await userDirectory(t, ANN, BOB);
    const node = await startNode(t, { store, directory, clock, onLine: (line) => lines.push(line) });
    const [held, other, bob] = [await logIn(node, ANN), await logIn(node, ANN), await logIn(node, BOB)];
    const [sid, otherSid] = [await sessionIdOf(node, held), await sessionIdOf(node, other)];
    const answer = await change(node, held);
    t.equal(answer.statusCode, 204);
    t.equal(answer.body, '');
    t.equal(answer.headers['set-cookie'], undefined);

    t.equal((await withBearer(node, 'GET', '/profile', other)).json().code, 'session_revoked');
    t.equal((await refresh(node, other)).json().code, 'session_revoked');
    t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
    t.equal((await refresh(node, held)).statusCode, 200);
    t.equal((await withBearer(node, 'GET', '/profile', bob)).statusCode, 200);
    t.equal((await tryLogIn(node, ANN, PASSWORD)).json().code, 'login_failed', 'the old one');
    t.equal((await tryLogIn(node, ANN, NEW)).statusCode, 200, 'the new one');
    t.equal((await tryLogIn(node, BOB, PASSWORD)).statusCode, 200, 'of somebody else');

    t.match(auditOf(lines, 'password_changed', 'revoke'), [
      { event: 'revoke', uid: 1, sid: otherSid, reason: 'password' },
      { event: 'password_changed', uid: 1, sid, by: 'user' },
    ]);
    for (const secret of [PASSWORD, NEW]) t.notMatch(lines.join(), secret);
  });
});

t.test('an application sets the password: every session ends, also for a user without one', async (t) => {
  await eachKind(t, async (t, { store, clock }) => {
    const lines: string[] = [];
    const directory = await userDirectory(t, ANN);
    await directory.add(BOB, '');
    await directory.setDisabled(BOB, true);
    const node = await startNode(t, { store, directory, clock, onLine: (line) => lines.push(line) });
    const held = [await logIn(node, ANN), await logIn(node, ANN)];
    const answer = await set(node, 1);
    t.equal(answer.statusCode, 204);
    t.equal(answer.body, '');
    for (const each of held) t.equal((await refresh(node, each)).json().code, 'session_revoked');
    t.equal((await tryLogIn(node, ANN, NEW)).statusCode, 200);
    t.equal((await set(node, 2)).statusCode, 204);
    t.match(await directory.findById(2), { hash: `hash of ${NEW}`, disabled: true }, 'and stays disabled');
    const events = auditOf(lines, 'password_changed');
    t.match(
      events,
      [1, 2].map((uid) => ({ uid, sid: undefined, by: 'application' })),
    );

    for (const id of [3, '0', 'x', '-', '9007199254740993'])
      t.equal((await set(node, id)).statusCode, 404, `${id}`);
    t.equal((await set(node, 3)).json().code, 'unknown_user');
    for (const body of [{}, { new_password: 7 }, { new_password: NEW, old_password: PASSWORD }])
      t.equal((await set(node, 1, body)).json().code, 'validation_failed');
    t.equal((await tryLogIn(node, ANN, NEW)).statusCode, 200, 'nothing was changed');
  });
});

t.test('a login with the old password, in flight during the change, kept its session', async (t) => {
  await eachKind(t, async (t, { store, clock }) => {
    const users = await userDirectory(t, ANN);
    const { directory, interrupt } = interruptible(users);
    const node = await startNode(t, { store, directory, clock });
    const held = await logIn(node, ANN);
    const logInDuring = (action: () => Promise<unknown>, password = PASSWORD) => {
      interrupt(action);
      return tryLogIn(node, ANN, password);
    };
    const left = async () => (await node.sessions.list(1)).map(({ sid }) => sid);
    const sid = await sessionIdOf(node, held);

    const { hash = '' } = (await users.findById(1)) ?? {};
    const rehash = () => users.saveHash(1, hash, `hash of ${PASSWORD}`);
    t.equal((await logInDuring(rehash)).statusCode, 200, 'another hash of the same password');
    t.equal((await logInDuring(() => change(node, held))).json().code, 'login_failed');
    t.strictSame(await left(), [sid], 'changed by the user');
    t.equal((await logInDuring(() => set(node, 1), NEW)).statusCode, 200, 'the same password again');
    t.equal((await logInDuring(() => users.setDisabled(ANN, true), NEW)).json().code, 'login_failed');
  });
});

t.test('a new password has at least 8 characters and at most 1,024 bytes', async (t) => {
  const { store } = embeddedStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
  const held = await logIn(node, ANN);
  const short = 'This value is too short (minimum length: 8).';
  const long = 'This value is too long (maximum length: 1024).';
  for (const [new_password, message] of [
    ['seven77', short],
    ['é'.repeat(513), long],
    ['x'.repeat(1025), long],
  ]) {
    const errors = { new_password: [message] };
    t.strictSame((await change(node, held, { ...RIGHT, new_password })).json().errors, errors);
    t.strictSame((await set(node, 1, { new_password })).json().errors, errors);
  }
  const both = await change(node, held, { old_password: 'é'.repeat(513), new_password: 'x' });
  t.strictSame(both.json().errors, { old_password: [long], new_password: [short] });
  t.equal((await set(node, 1, { new_password: '𝒫'.repeat(8) })).statusCode, 204, 'characters are counted');
});

t.test('a wrong old password counts for the account as at a login, and changes nothing', async (t) => {
  const { store } = await redisStore(t);
  const lines: string[] = [];
  const directory = await userDirectory(t, ANN);
  const node = await startNode(t, { store, directory, onLine: (line) => lines.push(line) });
  const [held, other] = [await logIn(node, ANN), await logIn(node, ANN)];
  for (let times = 0; times < 5; times++) {
    const wrong = await change(node, held, { ...RIGHT, old_password: 'wrong' });
    t.equal(wrong.statusCode, 422);
    t.equal(wrong.json().code, 'login_failed');
  }
  const waits = await change(node, held);
  t.equal(waits.statusCode, 429);
  t.equal(waits.json().code, 'login_throttled');
  t.equal((await tryLogIn(node, ANN, PASSWORD)).json().code, 'login_throttled');
  t.equal((await withBearer(node, 'GET', '/profile', other)).statusCode, 200);
  t.equal((await directory.findById(1))?.hash, 'not looked at');
  t.equal(auditOf(lines, 'login_failed').length, 5);
  t.strictSame(auditOf(lines, 'password_changed', 'revoke'), []);

  const strict = await startNode(t, { store, directory, env: { CAPTCHA_POW_ENABLED: 'true' } });
  const refused = await change(strict, held, { old_password: 5, new_password: NEW });
  t.strictSame(Object.keys(refused.json().errors).sort(), ['old_password', 'pow_nonce', 'pow_token']);
});

t.test(
  'a change is rejected without a bearer, from another site, or after the session has ended',
  async (t) => {
    const { store } = embeddedStore(t);
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory });
    const held = await logIn(node, ANN);
    const foreign = await change(node, held, RIGHT, { origin: 'https://evil.example.com' });
    t.equal(foreign.json().code, 'origin_refused');
    t.equal((await change(node, { ...held, accessToken: 'x' })).json().code, 'token_invalid');
    await withBearer(node, 'POST', '/logout', held);
    t.equal((await change(node, held)).json().code, 'session_revoked');
    t.equal((await directory.findById(1))?.hash, 'not looked at');
  },
);

t.test('a changed password makes every known device unknown', async (t) => {
  await eachKind(t, async (t, { store, clock }) => {
    const directory = await userDirectory(t, ANN);
    const env = { CAPTCHA_ESCALATION_AFTER: '2' };
    const node = await startNode(t, { store, directory, clock, env });
    const answer = await tryLogIn(node, ANN, PASSWORD);
    const device = [answer.headers['set-cookie']].flat().find((text) => text?.startsWith('knownDevice='));
    t.equal((await change(node, heldFrom(answer))).statusCode, 204);
    for (const remoteAddress of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      const payload = { email: ANN, password: 'wrong' };
      await node.app.inject({ method: 'POST', url: '/login', remoteAddress, payload });
    }
    const again = await node.app.inject({
      method: 'POST',
      url: '/login',
      headers: { cookie: String(device).split(';')[0] },
      payload: { email: ANN, password: NEW },
    });
    t.equal(again.json().code, 'captcha_required');
  });
});

t.test(
  'a directory that cannot save passwords, does not respond, or whose password has changed in the meantime',
  async (t) => {
    const { store } = embeddedStore(t);
    const directory = await userDirectory(t, ANN);
    const { saveHash, ...readOnly } = directory;
    const first = await startNode(t, { store, directory });
    const held = await logIn(first, ANN);
    const nodeOf = (changed: typeof readOnly | typeof directory) =>
      startNode(t, { store, directory: changed });

    const reading = await nodeOf(readOnly);
    for (const answer of [await change(reading, held), await set(reading, 1)]) {
      t.equal(answer.statusCode, 409);
      t.equal(answer.json().code, 'directory_read_only');
    }
    t.equal((await change(reading, { ...held, accessToken: 'x' })).json().code, 'token_invalid');

    const other = await logIn(first, ANN);
    const away = await nodeOf({
      ...directory,
      saveHash: () => Promise.reject(new DirectoryUnavailableError('away')),
    });
    const failed = await change(away, held);
    t.equal(failed.statusCode, 503);
    t.equal(failed.json().code, 'store_unavailable');
    t.ok(failed.headers['retry-after']);
    t.equal((await refresh(first, other)).json().code, 'session_revoked', 'as asked for');
    t.equal((await tryLogIn(first, ANN, PASSWORD)).statusCode, 200, 'the old password is valid');

    const racing = await nodeOf({
      ...directory,
      async saveHash(id, oldHash, newHash) {
        await saveHash(id, oldHash, 'hash of somebody else');
        return saveHash(id, oldHash, newHash);
      },
    });
    const lost = await change(racing, held);
    t.equal(lost.statusCode, 409);
    t.equal(lost.json().code, 'password_conflict');
    t.equal((await change(first, held, { ...RIGHT, old_password: 'somebody else' })).statusCode, 204);
  },
);

// Step-up: the user of a session authenticates again, with a password or an application's code.

/** Reauthenticates as a page does. */
function reauthenticate({ app }: SessionNode, { accessToken }: Held, body: object, headers = {}) {
  return app.inject({
    method: 'POST',
    url: 'code' in body ? '/reauthenticate/code' : '/reauthenticate',
    headers: { authorization: `Bearer ${accessToken}`, origin: PUBLIC_URL, ...headers },
    payload: body,
  });
}

t.test(
  'the password renews amr and auth_time in the response and at every refresh; no cookie changes',
  async (t) => {
    await eachKind(t, async (t, { store, age, clock }) => {
      const lines: string[] = [];
      const directory = await userDirectory(t, ANN);
      const env = { ACCESS_TTL: '7200' };
      const node = await startNode(t, { store, directory, clock, env, onLine: (line) => lines.push(line) });
      const first = heldFrom(await exchange(node, { code: await codeFor(node, 1, { amr: ['otp'] }) }));
      await age(HOUR_MS);
      const held = heldFrom(await refresh(node, first));
      t.strictSame((await introspected(node, held)).amr, ['otp']);

      const answer = await reauthenticate(node, held, { password: PASSWORD });
      t.equal(answer.statusCode, 200);
      t.strictSame(Object.keys(answer.json()), ['accessToken', 'expiresIn']);
      t.equal(answer.json().expiresIn, 7200);
      t.equal(answer.headers['set-cookie'], undefined);
      const claims = await introspected(node, answer.json());
      t.strictSame(claims.amr, ['pwd']);
      t.equal(claims.auth_time, claims.iat);
      t.equal(claims.sid, (await introspected(node, held)).sid, 'the same session');
      const renewed = heldFrom(await refresh(node, held));
      t.match(await introspected(node, renewed), { amr: ['pwd'], auth_time: claims.auth_time });

      const events = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'reauthenticated');
      t.match(events, [{ uid: 1, sid: claims.sid, amr: ['pwd'] }]);
      t.notMatch(lines.join(), PASSWORD);
    });
  },
);

t.test("a code for the same user has the same effect, with the application's claims", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN, BOB);
    const node = await startNode(t, { store, directory });
    const held = await logIn(node, ANN);
    const auth_time = Math.floor(Date.now() / 1000) - 7;
    const code = await codeFor(node, 1, { amr: ['hwk'], auth_time });
    const answer = await reauthenticate(node, held, { code });
    t.equal(answer.statusCode, 200);
    t.match(await introspected(node, answer.json()), { amr: ['hwk'], auth_time });
    t.equal((await reauthenticate(node, held, { code })).json().code, 'code_invalid', 'again');
    t.match(await introspected(node, heldFrom(await refresh(node, held))), { amr: ['hwk'], auth_time });

    const foreign = await codeFor(node, 2, { amr: ['hwk'], auth_time });
    const refused = await reauthenticate(node, held, { code: foreign });
    t.equal(refused.statusCode, 422);
    t.equal(refused.json().code, 'code_invalid', 'a code of another user');
    t.equal((await exchange(node, { code: foreign })).statusCode, 200, 'which is not spent by it');
  });
});

t.test('a wrong password counts for the account as at a login', async (t) => {
  const { store } = await redisStore(t);
  const lines: string[] = [];
  const directory = await userDirectory(t, ANN);
  const node = await startNode(t, { store, directory, onLine: (line) => lines.push(line) });
  const held = await logIn(node, ANN);
  for (let times = 0; times < 5; times++) {
    const wrong = await reauthenticate(node, held, { password: 'wrong' });
    t.equal(wrong.statusCode, 422);
    t.equal(wrong.json().code, 'login_failed');
  }
  const waits = await reauthenticate(node, held, { password: PASSWORD });
  t.equal(waits.statusCode, 429);
  t.equal(waits.json().code, 'login_throttled');
  t.ok(Number(waits.headers['retry-after']) > 0);
  const payload = { email: ANN, password: PASSWORD };
  const logInWaits = await node.app.inject({ method: 'POST', url: '/login', payload });
  t.equal(logInWaits.json().code, 'login_throttled', 'the login waits for the same failures');
  t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200, 'the session goes on');
  const events = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'audit');
  t.equal(events.filter(({ event }) => event === 'login_failed').length, 5);
  t.equal(events.filter(({ event }) => event === 'login_throttled').length, 2);
  t.notOk(events.some(({ event }) => event === 'reauthenticated'));

  const account = accountPseudonym(openKeyRing(SECRETS.CHALLENGE_SECRET).current, SESSION_APPLICATION, ANN);
  const failures = (await openAccountEvents(store, HOUR_MS).read(account)).filter(
    ({ event }) => event === 'login_failed',
  );
  t.strictSame(
    failures.map(({ reason }) => reason),
    Array(5).fill('wrong_password'),
    'the history of the account has the reason',
  );
});

t.test('challenges are required as at a login, and one rejection names every error', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, ANN);
  const free = await startNode(t, { store, directory });
  const held = await logIn(free, ANN);
  const node = await startNode(t, { store, directory, env: { CAPTCHA_POW_ENABLED: 'true' } });
  const refused = await reauthenticate(node, held, { password: PASSWORD });
  t.equal(refused.statusCode, 422);
  t.equal(refused.json().code, 'pow_invalid');
  t.equal(refused.json().captcha_required, false);
  const malformed = await reauthenticate(node, held, { password: 5 });
  t.equal(malformed.json().code, 'validation_failed');
  t.strictSame(Object.keys(malformed.json().errors).sort(), ['password', 'pow_nonce', 'pow_token']);
  const long = await reauthenticate(free, held, { password: 'é'.repeat(513) });
  t.strictSame(long.json().errors, { password: ['This value is too long (maximum length: 1024).'] });
});

t.test(
  'a step-up is rejected without a valid bearer, from another site, or after the session has ended',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const directory = await userDirectory(t, ANN);
      const node = await startNode(t, { store, directory });
      const held = await logIn(node, ANN);
      for (const fields of [{ password: PASSWORD }, { code: await codeFor(node, 1) }]) {
        const foreign = await reauthenticate(node, held, fields, { origin: 'https://evil.example.com' });
        t.equal(foreign.json().code, 'origin_refused');
        const nobody = await reauthenticate(node, { ...held, accessToken: 'x' }, fields);
        t.equal(nobody.statusCode, 401);
        t.equal(nobody.headers['www-authenticate'], 'Bearer');
        t.equal(nobody.json().code, 'token_invalid');
      }
      await withBearer(node, 'POST', '/logout', held);
      const ended = await reauthenticate(node, held, { password: PASSWORD });
      t.equal(ended.json().code, 'session_revoked');
    });
  },
);

t.test('an address that now belongs to another user proves nothing', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, ANN, BOB);
  const node = await startNode(t, { store, directory });
  const held = await logIn(node, ANN);
  const moved = {
    ...directory,
    findByEmail: async (key: string) => directory.findByEmail(key === ANN ? BOB : key),
  };
  const later = await startNode(t, { store, directory: moved });
  t.equal((await reauthenticate(later, held, { password: PASSWORD })).json().code, 'login_failed');
});

t.test(
  'passwords sent to a full hashing queue counted for the rate limit, and cost challenges',
  async (t) => {
    const { store } = embeddedStore(t);
    const directory = await userDirectory(t, ANN);
    const queue = createHashingQueue({ running: 1, waiting: 0 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const verify = () => released.then(() => false);
    const signIn = createSignIn(
      withAccounts(directory, () => {}),
      queue,
      () => {},
      { verify },
    );
    const held = await logIn(await startNode(t, { store, directory }), ANN);
    const node = await startNode(t, { store, directory, signIn, env: { RATE_LIMIT_LOGIN: '4' } });

    const first = tryLogIn(node, ANN, PASSWORD);
    await until(() => queue.isFull);
    const rejected = [
      ...(await Promise.all(Array.from({ length: 10 }, () => tryLogIn(node, ANN, PASSWORD)))),
      await change(node, held),
      await reauthenticate(node, held, { password: PASSWORD }),
    ];
    for (const answer of rejected) {
      t.equal(answer.statusCode, 503);
      t.equal(answer.json().code, 'overloaded');
      t.equal(answer.headers['retry-after'], '1');
    }
    t.equal((await tryLogIn(node, ANN, '')).statusCode, 422, 'mistakes are reported all the same');

    release();
    t.equal((await first).json().code, 'login_failed');
    for (const status of [422, 422, 429]) {
      t.equal((await tryLogIn(node, ANN, PASSWORD)).statusCode, status, 'after two that counted before');
    }
  },
);
