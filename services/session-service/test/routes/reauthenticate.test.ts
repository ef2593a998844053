// Step-up: the user of a session authenticates again, with a password or an application's code.

import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  type Held,
  heldFrom,
  logIn,
  PASSWORD,
  PUBLIC_URL,
  refresh,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { codeFor, exchange, introspected } from '../support/sign-in-codes.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const HOUR_MS = 3_600_000;

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
  'it is rejected without a valid bearer, from another site, or after the session has ended',
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
