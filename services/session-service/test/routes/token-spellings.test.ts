// Tokens, cookies and codes decoded, encoded or quoted by a client or its libraries.

import { createSigningKey } from '@tollgate/shared/crypto';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import {
  API_KEY,
  type Held,
  PASSWORD,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { codeFor, exchange } from '../support/sign-in-codes.js';

const ANN = 'ann@example.com';

const SPELLINGS: Record<string, (token: string) => string> = {
  'as issued': (token) => token,
  decoded: decodeURIComponent,
  'decoded in part': (token) => token.replaceAll('%3D', '='),
  'with lower-case digits': (token) => token.replace(/%../g, (digits) => digits.toLowerCase()),
  'encoded once more': encodeURIComponent,
};
const QUOTED: typeof SPELLINGS = {
  ...SPELLINGS,
  'in double quotes': (token) => `"${token}"`,
  'decoded, in double quotes': (token) => `"${decodeURIComponent(token)}"`,
};

async function openNode(t: Test, env: Record<string, string> = {}): Promise<SessionNode> {
  const { store } = embeddedStore(t);
  return startNode(t, { store, directory: await userDirectory(t, ANN), env });
}

/**
 * Logs in until the tokens contain characters changed by percent-encoding, and returns the cookies as decoded by
 * `inject`.
 */
async function logIn(
  node: SessionNode,
): Promise<Held & { readonly decoded: string; readonly device: string }> {
  for (;;) {
    const answer = await node.app.inject({
      method: 'POST',
      url: '/login',
      payload: { email: ANN, password: PASSWORD },
    });
    const { accessToken } = answer.json();
    const lines = [answer.headers['set-cookie'] ?? []].flat();
    const readValue = (name: string) =>
      lines.join('\n').match(new RegExp(`^${name}=([^;]+)`, 'm'))?.[1] ?? '';
    const [cookie, device] = [readValue('refreshToken'), readValue('knownDevice')];
    const decoded = answer.cookies.find(({ name }) => name === 'refreshToken')?.value ?? '';
    if ([accessToken, cookie, device].every((text) => /%2B/.test(text) && /%3D/.test(text)))
      return { accessToken, cookie, decoded, device };
  }
}

t.test('a cookie decoded by inject is refreshed, by its header and by its option', async (t) => {
  const node = await openNode(t);
  const { cookie, decoded } = await logIn(node);
  t.equal(decoded, decodeURIComponent(cookie));
  const refresh = { method: 'POST', url: '/refresh' } as const;
  const byHeader = await node.app.inject({ ...refresh, headers: { cookie: `refreshToken=${decoded}` } });
  t.equal(byHeader.statusCode, 200);
  const byOption = await node.app.inject({ ...refresh, cookies: { refreshToken: decoded } });
  t.equal(byOption.statusCode, 200);
  const encodedTwice = await node.app.inject({ ...refresh, cookies: { refreshToken: cookie } });
  t.equal(encodedTwice.statusCode, 200, 'a raw value, which the option encodes');
});

t.test('a refresh cookie is accepted in every spelling', async (t) => {
  const node = await openNode(t);
  for (const [name, spell] of Object.entries(QUOTED)) {
    const { cookie } = await logIn(node);
    const headers = { cookie: `refreshToken=${spell(cookie)}` };
    t.equal((await node.app.inject({ method: 'POST', url: '/refresh', headers })).statusCode, 200, name);
    t.equal((await node.app.inject({ method: 'DELETE', url: '/refresh', headers })).statusCode, 204, name);
    const ended = await node.app.inject({ method: 'POST', url: '/refresh', headers });
    t.equal(ended.json().code, 'session_revoked', `${name}: and ends its session`);
  }
});

for (const format of ['sealed', 'public']) {
  t.test(`a ${format} bearer is accepted in every spelling until its session ends`, async (t) => {
    const publicTokens = { ACCESS_TOKEN_FORMAT: format, ACCESS_SIGNING_KEYS: createSigningKey('ES256') };
    const node = await openNode(t, format === 'public' ? publicTokens : {});
    const overEager = (token: string) => token.replaceAll('.', '%2E').replaceAll('-', '%2d');
    const held = await signIn(node);
    const spellings = Object.values({ ...SPELLINGS, overEager }).map((spell) => spell(held.accessToken));
    const introspect = async (token: string) => {
      const answer = await node.admin.inject({
        method: 'POST',
        url: '/introspect',
        headers: {
          authorization: `Bearer ${API_KEY}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ token }).toString(),
      });
      return answer.json().active;
    };
    for (const accessToken of spellings) {
      t.equal((await withBearer(node, 'GET', '/profile', { ...held, accessToken })).statusCode, 200);
      t.equal(await introspect(accessToken), true);
    }
    const [, , spelledOtherwise = ''] = spellings;
    const logout = await withBearer(node, 'POST', '/logout', { ...held, accessToken: spelledOtherwise });
    t.equal(logout.statusCode, 204);
    for (const accessToken of spellings) {
      const answer = await withBearer(node, 'GET', '/profile', { ...held, accessToken });
      t.equal(answer.json().code, 'session_revoked');
      t.equal(await introspect(accessToken), false);
    }
  });
}

async function signIn(node: SessionNode): Promise<Held> {
  const payload = { email: ANN, password: PASSWORD };
  const { accessToken } = (await node.app.inject({ method: 'POST', url: '/login', payload })).json();
  return { accessToken, cookie: '' };
}

t.test("a known device's cookie is accepted in every spelling", async (t) => {
  const node = await openNode(t, { CAPTCHA_ESCALATION_AFTER: '2', DEVICE_ATTEMPTS: '50' });
  const { device } = await logIn(node);
  const attempt = (password: string, cookie?: string) =>
    node.app.inject({
      method: 'POST',
      url: '/login',
      headers: cookie === undefined ? {} : { cookie },
      payload: { email: ANN, password },
    });
  for (let n = 0; n < 2; n++) await attempt('a wrong password');
  t.equal((await attempt(PASSWORD)).json().code, 'captcha_required');
  for (const [name, spell] of Object.entries(QUOTED)) {
    for (let n = 0; n < 2; n++) await attempt('a wrong password');
    t.equal((await attempt(PASSWORD, `knownDevice=${spell(device)}`)).statusCode, 200, name);
  }
});

t.test('a sign-in code is accepted in every spelling, once', async (t) => {
  const node = await openNode(t);
  const code = await codeFor(node, 1);
  const escaped = `%${code.charCodeAt(0).toString(16)}${code.slice(1)}`;
  t.equal((await exchange(node, { code: encodeURIComponent(escaped) })).statusCode, 200);
  t.equal((await exchange(node, { code })).json().code, 'code_invalid');
});
