// One value in several spellings: an account, a password, a token, a cookie and a code.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigningKey } from '@tollgate/shared/crypto';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { hashPassword } from '../../src/passwords/password-hash.js';
import {
  API_KEY,
  type Held,
  PASSWORD,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { openServiceHere } from '../support/session-process.js';
import { codeFor, exchange } from '../support/sign-in-codes.js';

const hash = await hashPassword(PASSWORD);
const FOLDING = new URL('../../../test/directory/folding-driver.js', import.meta.url).href;
const EMAIL = 'ada@example.com';
const ANN = 'ann@example.com';

// A login counts for the same account that it logs in to.

type Service = Awaited<ReturnType<typeof openServiceHere>>;

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://localhost:8080', ...headers },
    body: JSON.stringify(body),
  });
}

interface Body {
  readonly [field: string]: unknown;
  readonly accessToken: string;
  readonly errors: object;
}

async function bodyOf(answer: Response): Promise<Body> {
  return (await answer.json()) as Body;
}

/** A service whose directory module ignores accents, case, width and control characters. */
function openFolding(t: Test, account?: string): Promise<Service> {
  const path = join(tempDir(t), 'driver.mjs');
  writeFileSync(
    path,
    `import { foldingDirectory } from '${FOLDING}';
     export default foldingDirectory(${JSON.stringify({ hash, account })});`,
  );
  return openServiceHere(t, { USERS_URL: `module:${path}`, CAPTCHA_ESCALATION_AFTER: '3' });
}

t.test('control characters in an email are rejected before any other step', async (t) => {
  const users = join(tempDir(t), 'users.db');
  const directory = openEmbeddedDirectory(users);
  await directory.add('dave@example.com', hash);
  await directory.close();
  const { publicUrl } = await openServiceHere(t, {
    USERS_URL: `file:${users}`,
    CAPTCHA_ESCALATION_AFTER: '3',
  });
  const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, n) => 0x7f + n)];
  const wrong = [
    ...controls.map((code) => `dave@example.com${String.fromCodePoint(code)}x`),
    ...[
      '\0dave@example.com',
      'da\0ve@example.com',
      'dave@example.com\0',
      'dave@example.com\n',
      ' ',
      '\u2028',
    ],
  ];
  for (const email of wrong) {
    const answer = await post(`${publicUrl}/login`, { email, password: PASSWORD });
    t.equal(answer.status, 422, encodeURIComponent(email));
    const { code, errors } = await bodyOf(answer);
    t.strictSame({ code, fields: Object.keys(errors) }, { code: 'validation_failed', fields: ['email'] });
  }
  t.equal(
    (await post(`${publicUrl}/login`, { email: ' DAVE@example.com ', password: PASSWORD })).status,
    200,
  );
});

t.test(
  '16 spellings that only the directory treats as one account are unknown accounts, even with its password',
  async (t) => {
    const { publicUrl, adminUrl, log } = await openFolding(t);
    const unknown = await post(`${publicUrl}/login`, { email: 'eve@example.com', password: PASSWORD });
    const expected = await bodyOf(unknown);
    const spellings = [...'àáâãäåāăą'].map((letter) => `ad${letter}@example.com`);
    spellings.push(...[...'èéêëēĕė'].map((letter) => `ada@${letter}xample.com`));
    t.equal(spellings.length, 16);
    for (const email of spellings) {
      const answer = await post(`${publicUrl}/login`, { email, password: PASSWORD });
      t.equal(answer.status, 422, email);
      t.match(await answer.json(), {
        code: expected.code,
        captcha_required: false,
        message: expected.message,
      });
    }
    const warnings = log.map((line) => JSON.parse(line)).filter(({ uid }) => uid === 1);
    t.equal(warnings.length, 16);
    t.match(warnings[0], {
      level: 'warn',
      msg: 'the directory returned this user for another account, which is treated as unknown',
    });
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    t.match(metrics, /^tollgate_directory_other_accounts_total 16$/m);
    t.equal(
      (await post(`${publicUrl}/login`, { email: 'ＡＤＡ@example.com', password: PASSWORD })).status,
      200,
    );
  },
);

t.test('guesses at a user name count for it both at a login and at a step-up', async (t) => {
  const { publicUrl } = await openFolding(t, 'Countess');
  const signedIn = await post(`${publicUrl}/login`, { email: 'countess', password: PASSWORD });
  t.equal(signedIn.status, 200);
  const { accessToken } = await bodyOf(signedIn);
  const again = (password: string) =>
    post(`${publicUrl}/reauthenticate`, { password }, { authorization: `Bearer ${accessToken}` });
  t.equal((await again(PASSWORD)).status, 200, 'the user name is found from the id of the session');
  for (let guess = 0; guess < 2; guess++) t.equal((await bodyOf(await again('wrong'))).code, 'login_failed');
  const third = await post(`${publicUrl}/login`, { email: 'COUNTESS', password: 'wrong' });
  t.match(await third.json(), { code: 'login_failed', captcha_required: true }, 'of one account');
  const other = await post(`${publicUrl}/login`, { email: 'ada@example.com', password: PASSWORD });
  t.match(await other.json(), { code: 'login_failed', captcha_required: false });
});

// One password in different Unicode forms, at every route with a password.

/** As typed on Windows and Linux, and on macOS and iOS. */
const forms = (word: string) => [word.normalize('NFC'), word.normalize('NFD')] as const;

t.test(
  'a password set in one form was rejected in the other: login, step-up, change and reset',
  async (t) => {
    const users = join(tempDir(t), 'users.db');
    const directory = openEmbeddedDirectory(users);
    const [first, firstApart] = forms('m\u00f6tley cr\u00fce');
    await directory.add(EMAIL, await hashPassword(first));
    await directory.close();
    const { publicUrl, adminUrl } = await openServiceHere(t, {
      USERS_URL: `file:${users}`,
      SESSION_API_KEY: API_KEY,
    });
    const send = async (method: string, url: string, body: object, bearer = '') => {
      const answer = await fetch(url, {
        method,
        headers: {
          'content-type': 'application/json',
          origin: 'http://localhost:8080',
          ...(bearer && { authorization: `Bearer ${bearer}` }),
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        body: (text === '' ? {} : JSON.parse(text)) as { accessToken: string },
      };
    };
    const logIn = (password: string) => send('POST', `${publicUrl}/login`, { email: EMAIL, password });

    t.equal((await logIn(first)).status, 200);
    const { status, body } = await logIn(firstApart);
    t.equal(status, 200);
    const bearer = body.accessToken;
    for (const password of [first, firstApart])
      t.equal((await send('POST', `${publicUrl}/reauthenticate`, { password }, bearer)).status, 200);

    const [second, secondApart] = forms('caf\u00e9 cr\u00e8me');
    const change = { old_password: firstApart, new_password: secondApart };
    t.equal((await send('POST', `${publicUrl}/password`, change, bearer)).status, 204);
    for (const password of [second, secondApart]) t.equal((await logIn(password)).status, 200, 'changed');

    const [third, thirdApart] = forms('\u00e5ngstr\u00f6m unit');
    const reset = { new_password: thirdApart };
    t.equal((await send('PUT', `${adminUrl}/users/1/password`, reset, API_KEY)).status, 204);
    for (const password of [third, thirdApart]) t.equal((await logIn(password)).status, 200, 'reset');
    t.equal((await logIn(second)).status, 422);
  },
);

// Tokens, cookies and codes decoded, encoded or quoted by a client or its libraries.

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
