// Sign-in codes, which a page exchanges for a session; and both ways to log in with `remember: false`.

import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import type { LightMyRequestResponse } from 'fastify';
import t from 'tap';
import {
  API_KEY,
  heldFrom,
  interruptible,
  logIn,
  PASSWORD,
  PUBLIC_URL,
  refresh,
  type SessionNode,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { askForCode, codeFor, exchange, introspected } from '../support/sign-in-codes.js';

const INVALID = { message: 'This login is no longer valid. Please sign in again.', code: 'code_invalid' };
const ANN = 'ann@example.com';
const HOUR_MS = 3_600_000;

t.test('a code is exchanged once for tokens and cookie, as at a login', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const lines: string[] = [];
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, onLine: (line) => lines.push(line) });
    const asked = await askForCode(node, 1);
    t.equal(asked.statusCode, 200);
    t.equal(asked.headers['cache-control'], 'no-store');
    t.match(asked.json(), { code: /^[0-9A-Za-z]{22}$/, expires_in: 60 });
    const { code } = asked.json();

    const answer = await exchange(node, { code });
    t.equal(answer.statusCode, 200);
    t.strictSame(Object.keys(answer.json()), ['accessToken', 'expiresIn']);
    t.equal(answer.json().expiresIn, 900);
    const cookies = [answer.headers['set-cookie']].flat();
    t.match(cookies, [
      /^refreshToken=\S+; Max-Age=604800; Path=\/refresh; HttpOnly; Secure; SameSite=Strict$/,
    ]);
    t.equal(cookies.length, 1);
    const held = heldFrom(answer);
    t.strictSame((await withBearer(node, 'GET', '/profile', held)).json(), { id: 1, email: ANN });
    t.equal((await refresh(node, held)).statusCode, 200);
    const [listed] = (await withBearer(node, 'GET', '/sessions', held)).json().sessions;
    t.equal(listed.user_agent, 'a browser');

    const again = await exchange(node, { code });
    t.equal(again.statusCode, 422);
    t.strictSame(again.json(), INVALID);
    t.equal(again.headers['set-cookie'], undefined);
    const events = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'audit');
    t.match(
      events.map(({ event, uid, sid, reason }) => ({ event, uid, sid, reason })),
      [
        { event: 'sign_in_code_created', uid: 1 },
        { event: 'login', uid: 1, sid: listed.id },
        { event: 'sign_in_code_refused', reason: 'unknown' },
      ],
    );
    t.notMatch(lines.join(), code, 'no code is in the log');
    const metrics = (await node.admin.inject('/metrics')).body;
    for (const outcome of ['created', 'exchanged', 'refused'])
      t.match(metrics, `tollgate_sign_in_codes_total{outcome="${outcome}"} 1\n`);
    t.match(metrics, 'tollgate_logins_total{result="success"} 1\n');
  });
});

t.test('of 50 parallel exchanges of one code, one starts a session', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, env: { RATE_LIMIT_LOGIN_CODE: '1000' } });
    const code = await codeFor(node, 1);
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(node, { code })));
    const granted = answers.filter(({ statusCode }) => statusCode === 200);
    t.equal(granted.length, 1);
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 200))
      t.strictSame(answer.json(), INVALID);
    const [one] = granted;
    if (one === undefined) return;
    const listed = await withBearer(node, 'GET', '/sessions', heldFrom(one));
    t.equal(listed.json().sessions.length, 1);
  });
});

t.test('an exchange ends the session that the browser presents', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN, 'bob@example.com');
    const node = await startNode(t, { store, directory });
    for (const email of [ANN, 'bob@example.com']) {
      const before = await logIn(node, email);
      const answer = await exchange(node, { code: await codeFor(node, 1) }, { cookie: before.cookie });
      t.equal(answer.statusCode, 200);
      t.equal((await refresh(node, before)).json().code, 'session_revoked', email);
      t.equal((await withBearer(node, 'GET', '/profile', before)).json().code, 'session_revoked', email);
    }
  });
});

t.test('a code is valid only on pages of its origin, and another page cannot spend it', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    const env = { CORS_ORIGIN: 'https://app.example.com' };
    const node = await startNode(t, { store, directory, env });
    const code = await codeFor(node, 1, { origin: 'https://app.example.com' });
    for (const origin of ['https://evil.example.com', 'null', 'http://app.example.com']) {
      const foreign = await exchange(node, { code }, { origin });
      t.equal(foreign.statusCode, 403, origin);
      t.equal(foreign.json().code, 'origin_refused');
    }
    const other = await exchange(node, { code }, { origin: PUBLIC_URL });
    t.equal(other.statusCode, 422, 'a page that may sign in, but is not the one of the code');
    t.strictSame(other.json(), INVALID);
    const none = await node.app.inject({ method: 'POST', url: '/login/code', payload: { code } });
    t.strictSame(none.json(), INVALID, 'a program without an origin');
    const own = await exchange(node, { code }, { origin: 'https://app.example.com' });
    t.equal(own.statusCode, 200, 'the code is unspent');
  });
});

t.test('users without an account, deleted and disabled ones get no code and no session', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN, 'bob@example.com');
    const node = await startNode(t, { store, directory });
    const unknown = { message: 'Unknown user.', code: 'unknown_user' };
    for (const id of ['3', '9007199254740993']) {
      const answer = await askForCode(node, id);
      t.equal(answer.statusCode, 404, id);
      t.strictSame(answer.json(), unknown);
    }
    for (const id of ['0', '-1', '-', '01', '1.5', '1:7'])
      t.equal((await askForCode(node, id)).json().code, 'not_found', id);

    const [ann, bob] = [await codeFor(node, 1), await codeFor(node, 2)];
    await directory.setDisabled(ANN, true);
    const disabled = await askForCode(node, 1);
    t.equal(disabled.statusCode, 409);
    t.strictSame(disabled.json(), { message: 'This user is disabled.', code: 'user_disabled' });
    t.strictSame((await exchange(node, { code: ann })).json(), INVALID, 'disabled after the code was made');
    t.equal((await exchange(node, { code: bob })).statusCode, 200);
  });
});

t.test("a code in flight while its user's sessions were ended kept its session", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { directory, interrupt } = interruptible(await userDirectory(t, ANN));
    const node = await startNode(t, { store, directory });
    const code = await codeFor(node, 1);
    const headers = { authorization: `Bearer ${API_KEY}` };
    interrupt(() => node.admin.inject({ method: 'DELETE', url: '/users/1/sessions', headers }));
    t.equal((await exchange(node, { code })).json().code, 'code_invalid');
    t.strictSame(await node.sessions.list(1), []);
  });
});

t.test("ending a user's sessions voids earlier codes", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN, 'bob@example.com');
    const node = await startNode(t, { store, directory });
    const held = await logIn(node, ANN);
    const end = () =>
      node.admin.inject({
        method: 'DELETE',
        url: '/users/1/sessions',
        headers: { authorization: `Bearer ${API_KEY}` },
      });
    const endOthers = () => withBearer(node, 'DELETE', '/sessions', held);
    for (const [name, ending] of Object.entries({ endOthers, end })) {
      const [before, bob] = [await codeFor(node, 1), await codeFor(node, 2)];
      t.equal((await ending()).statusCode, 204);
      t.strictSame((await exchange(node, { code: before })).json(), INVALID, name);
      t.equal((await exchange(node, { code: bob })).statusCode, 200, 'those of other users stay');
      await new Promise((resolve) => setTimeout(resolve, 2));
      t.equal((await exchange(node, { code: await codeFor(node, 1) })).statusCode, 200, 'a later one');
    }
  });
});

t.test('an unavailable directory spends no code', async (t) => {
  const { store } = await redisStore(t);
  const users = await userDirectory(t, ANN);
  let isAway = false;
  const directory = {
    ...users,
    findById: async (id: number) => {
      if (isAway) throw new Error('away');
      return users.findById(id);
    },
  };
  const node = await startNode(t, { store, directory });
  const code = await codeFor(node, 1);
  isAway = true;
  for (const answer of [await askForCode(node, 1), await exchange(node, { code })]) {
    t.equal(answer.statusCode, 503);
    t.equal(answer.headers['retry-after'], '1');
    t.equal(answer.json().code, 'store_unavailable');
  }
  isAway = false;
  t.equal((await exchange(node, { code })).statusCode, 200);
});

t.test("the application's amr and auth_time are in every token, /verify and the introspection", async (t) => {
  await eachKind(t, async (t, { store, age, clock }) => {
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, clock });
    const auth_time = Math.floor(Date.now() / 1000) - 300;
    const claims = { amr: ['hwk', 'user'], auth_time };
    const held = heldFrom(await exchange(node, { code: await codeFor(node, 1, claims) }));
    const renewed = heldFrom(await refresh(node, held));
    for (const tokens of [held, renewed])
      t.match(await introspected(node, tokens), { active: true, ...claims });
    const verified = await withBearer(node, 'GET', '/verify', held);
    t.equal(verified.headers['x-auth-amr'], 'hwk,user');
    t.equal(verified.headers['x-auth-time'], String(auth_time));

    const bare = heldFrom(await exchange(node, { code: await codeFor(node, 1) }));
    const said = await introspected(node, bare);
    t.notOk('amr' in said || 'auth_time' in said, 'nothing is claimed that the application did not say');
    const headers = (await withBearer(node, 'GET', '/verify', bare)).headers;
    t.notOk('x-auth-amr' in headers || 'x-auth-time' in headers);
    await age(3_600_000);
    const later = await introspected(node, heldFrom(await refresh(node, bare)));
    t.equal(later.active, true);
    t.notOk('amr' in later || 'auth_time' in later, 'nor at a refresh');
  });
});

t.test('a password login has amr pwd and its own time, at every refresh', async (t) => {
  await eachKind(t, async (t, { store, age, clock }) => {
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, clock });
    const held = await logIn(node, ANN);
    const { iat, auth_time, amr } = await introspected(node, held);
    t.strictSame(amr, ['pwd']);
    t.equal(auth_time, iat, 'the time of the login');
    await age(3_600_000);
    const renewed = heldFrom(await refresh(node, held));
    const later = await introspected(node, renewed);
    t.strictSame(later.amr, ['pwd']);
    const elapsed = Number(later.iat) - Number(later.auth_time);
    t.ok(elapsed >= 3600 && elapsed <= 3605, `${elapsed} seconds ago`);
    t.equal(await sessionIdOf(node, renewed), await sessionIdOf(node, held));
  });
});

t.test('a malformed request is rejected with its field, on both ports', async (t) => {
  const { store } = await redisStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
  const future = Math.floor(Date.now() / 1000) + 120;
  const origin = PUBLIC_URL;
  for (const [body, field, message] of [
    [{}, 'origin', 'This field is required.'],
    [{ origin: 5 }, 'origin', 'This value is of the wrong type.'],
    [{ origin: 'https://evil.example.com' }, 'origin', 'Pages of this origin cannot use the service.'],
    [{ origin: `${PUBLIC_URL}/` }, 'origin', 'Pages of this origin cannot use the service.'],
    [{ origin, amr: 'pwd' }, 'amr', 'This value is of the wrong type.'],
    [{ origin, amr: ['a b'] }, 'amr.0', 'This value has the wrong format.'],
    [{ origin, amr: ['a,b'] }, 'amr.0', 'This value has the wrong format.'],
    [{ origin, amr: ['x=\t1'] }, 'amr.0', 'This value has the wrong format.'],
    [{ origin, amr: Array(9).fill('otp') }, 'amr', 'This value has the wrong format.'],
    [{ origin, auth_time: '1795309848' }, 'auth_time', 'This value is of the wrong type.'],
    [{ origin, auth_time: 5 }, 'auth_time', 'This value is outside the allowed range.'],
    [{ origin, auth_time: future }, 'auth_time', 'This value is outside the allowed range.'],
    [{ origin, admin: true }, 'admin', 'Unknown field.'],
  ] as const) {
    const answer = await askForCode(node, 1, body);
    t.equal(answer.statusCode, 422, JSON.stringify(body));
    t.strictSame(answer.json().errors, { [field]: [message] }, JSON.stringify(body));
  }
  for (const body of [{}, { code: '' }, { code: 5 }, { code: ['x'] }, { code: 'x'.repeat(101) }]) {
    const answer = await exchange(node, body);
    t.equal(answer.statusCode, 422);
    t.equal(answer.json().code, 'validation_failed');
    t.ok('code' in answer.json().errors);
  }
  for (const code of ['x', '__proto__', '\r\nx: y', '\u0000', '%00', 'session:code:x', '🙂'])
    t.strictSame((await exchange(node, { code })).json(), INVALID, code);
});

t.test('exchanges have their own limit', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, ANN);
  const node = await startNode(t, { store, directory, env: { RATE_LIMIT_LOGIN_CODE: '2' } });
  const code = await codeFor(node, 1);
  for (let times = 0; times < 2; times++) t.equal((await exchange(node, { code: 'x' })).statusCode, 422);
  const limited = await exchange(node, { code });
  t.equal(limited.statusCode, 429);
  t.equal(limited.json().code, 'rate_limited');
  t.ok(Number(limited.headers['retry-after']) > 0);
  await logIn(node, ANN);
});

// Sessions that end with their browser: `remember: false`.

/** The two ways to log in. */
const LOG_INS: readonly [string, (node: SessionNode, fields: object) => Promise<LightMyRequestResponse>][] = [
  [
    'with a password',
    ({ app }, fields) =>
      app.inject({ method: 'POST', url: '/login', payload: { email: ANN, password: PASSWORD, ...fields } }),
  ],
  ['with a code', async (node, fields) => exchange(node, { code: await codeFor(node, 1), ...fields })],
];

/** The refresh cookie attributes in a response. */
function attributesOf(answer: LightMyRequestResponse): string[] {
  const cookie = [answer.headers['set-cookie']].flat().at(0) ?? '';
  return cookie.split('; ').slice(1);
}

for (const [way, logIn] of LOG_INS) {
  t.test(
    `${way}: the cookie ends with the browser, also when reissued, and the session within a day`,
    async (t) => {
      await eachKind(t, async (t, { store, age, clock }) => {
        const directory = await userDirectory(t, ANN);
        const node = await startNode(t, { store, directory, clock, env: { REFRESH_WINDOW: '0' } });
        let answer = await logIn(node, { remember: false });
        for (let times = 0; times < 3; times++) {
          t.equal(answer.statusCode, 200, `after ${times} refreshes`);
          t.strictSame(attributesOf(answer), ['Path=/refresh', 'HttpOnly', 'Secure', 'SameSite=Strict']);
          const held = heldFrom(answer);
          const [session] = (await withBearer(node, 'GET', '/sessions', held)).json().sessions;
          t.equal(Date.parse(session.expires_at) - Date.parse(session.last_used_at), 24 * HOUR_MS);
          await age(23 * HOUR_MS);
          answer = await refresh(node, held);
        }
        await age(24 * HOUR_MS);
        t.equal((await refresh(node, heldFrom(answer))).statusCode, 401, 'after a day without a refresh');
      });
    },
  );

  t.test(`${way}: remembered by default`, async (t) => {
    const { store } = await redisStore(t);
    const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
    for (const fields of [{}, { remember: true }]) {
      const answer = await logIn(node, fields);
      for (const each of [answer, await refresh(node, heldFrom(answer))])
        t.ok(attributesOf(each).includes('Max-Age=604800'), JSON.stringify(fields));
    }
    for (const remember of ['false', 0, null, []]) {
      const refused = await logIn(node, { remember });
      t.equal(refused.statusCode, 422);
      t.strictSame(refused.json().errors, { remember: ['This value is of the wrong type.'] });
    }
  });
}

t.test('the shorter lifetime is configurable, and never exceeds that of other sessions', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, ANN);
  const lifeWith = async (env: Readonly<Record<string, string>>) => {
    const node = await startNode(t, { store, directory, env });
    const { cookie } = heldFrom(await exchange(node, { code: await codeFor(node, 1), remember: false }));
    const { iat = 0, exp = 0 } = readRefresh(node, cookie);
    return exp - iat;
  };
  t.equal(await lifeWith({}), 86_400);
  t.equal(await lifeWith({ REFRESH_TTL_NOT_REMEMBERED: '3600' }), 3600);
  t.equal(await lifeWith({ REFRESH_TTL_NOT_REMEMBERED: '86400', REFRESH_TTL: '600' }), 600);
  t.equal(await lifeWith({ SESSION_MAX_AGE: '60' }), 60);
});

/** The claims in a refresh cookie. */
function readRefresh({ app }: SessionNode, cookie: string): { readonly iat?: number; readonly exp?: number } {
  const reading = app.tokens.refresh.read(cookie.slice(cookie.indexOf('=') + 1));
  return reading.ok ? reading.claims : {};
}
