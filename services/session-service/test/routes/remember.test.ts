// Sessions that end with their browser: `remember: false`.

import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import type { LightMyRequestResponse } from 'fastify';
import t from 'tap';
import {
  heldFrom,
  PASSWORD,
  refresh,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { codeFor, exchange } from '../support/sign-in-codes.js';

const ANN = 'ann@example.com';
const HOUR_MS = 3_600_000;

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
