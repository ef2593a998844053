// Prototype pollution, header and log injection: CR, LF and built-in property names, in every text from outside.

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { isUserId } from '@tollgate/shared/schemas';
import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { CHEAP, onRedis, type Site } from './site.js';

const LINES = 'x\r\nSet-Cookie: injected=1\r\n\r\n{"level":"fatal","msg":"injected"}';
const HOSTILE = [
  LINES,
  '\n{"level":"fatal","msg":"injected"}\n',
  '\u2028injected\u0085',
  '__proto__',
  'constructor',
  'prototype.injected',
  'hasOwnProperty',
  '{"__proto__":{"injected":1}}',
];
const HOST_KEY = 'host-key-of-this-test-0123456789abcdef';
const SESSION_KEY = 'session-key-of-this-test-0123456789abc';

t.test('texts from outside', (t) =>
  onRedis(t, { ...CHEAP, HOST_API_KEY: HOST_KEY, SESSION_API_KEY: SESSION_KEY }, tests),
);

async function tests(t: Test, site: Site): Promise<void> {
  const { gateway, session, challenge, sessionAdmin, challengeAdmin } = site;
  const user = await site.newUser();
  const { accessToken } = await site.logIn(user);
  const bearer = `Bearer ${accessToken}`;
  const hostKey = `Bearer ${HOST_KEY}`;

  await t.test('in bodies: every field of every form, and the names of fields', async (t) => {
    const { email, password } = user;
    const body = { email, password, ...(await site.work()), ...(await site.image()) };
    for (const value of HOSTILE) {
      for (const field of Object.keys(body)) {
        const changed = (to: unknown) => gateway.post('/login', { body: { ...body, [field]: to } });
        answered(t, await changed(value), [422], `${field} ${value}`);
        answered(t, await changed({ [value]: value }), [400, 422], `${field} ${value}`);
      }
    }
    const asked = { origin: site.system.address, amr: ['pwd'], auth_time: 1_795_309_848 };
    const sessionKey = { authorization: `Bearer ${SESSION_KEY}` };
    for (const value of HOSTILE) {
      const origin = asked.origin;
      const exchanged = (code: unknown) =>
        gateway.post('/login/code', { body: { code }, headers: { origin } });
      answered(t, await exchanged(value), [422], value);
      answered(t, await exchanged({ [value]: value }), [400, 422], value);
      const proven = (path: string, body: object) =>
        gateway.post(path, { body, headers: { authorization: bearer, origin } });
      for (const to of [value, [value], { [value]: value }]) {
        answered(t, await proven('/reauthenticate', { password: to }), [400, 422], value);
        answered(t, await proven('/reauthenticate', { password, pow_token: to }), [400, 422], value);
        answered(t, await proven('/reauthenticate/code', { code: to }), [400, 422], value);
        for (const field of ['old_password', 'new_password', 'pow_token']) {
          const change = { old_password: password, new_password: password, [field]: to };
          answered(t, await proven('/password', change), [400, 422], `${field} ${value}`);
        }
      }
      const ask = (body: object) =>
        sessionAdmin.post(`/users/${user.id}/sign-in-codes`, { body, headers: sessionKey });
      for (const field of Object.keys(asked)) {
        for (const to of [value, { [value]: value }])
          answered(t, await ask({ ...asked, [field]: to }), [400, 422], `${field} ${value}`);
      }
      t.ok([400, 422].includes((await ask({ ...asked, [value]: value })).status), 'an unknown field');
      const set = (body: object) =>
        sessionAdmin.send('PUT', `/users/${user.id}/password`, { body, headers: sessionKey });
      for (const to of [[value], { [value]: value }])
        answered(t, await set({ new_password: to }), [400, 422], value);
      t.ok(
        [400, 422].includes((await set({ new_password: password, [value]: value })).status),
        'an unknown field',
      );
    }
    const verified = { pow_token: 'x', pow_nonce: 'x', key: 'x', ip: 'x', idempotency_key: 'x' };
    for (const value of HOSTILE) {
      for (const field of Object.keys(verified)) {
        const body = { ...verified, [field]: value };
        const sent = { body, headers: { authorization: hostKey } };
        answered(t, await challengeAdmin.post('/host/verify', sent), [200, 422], field);
      }
      const sent = { body: { key: value }, headers: { authorization: hostKey } };
      answered(t, await challengeAdmin.post('/host/failures', sent), [200]);
      answered(t, await challengeAdmin.delete('/host/failures', sent), [204]);
      const body = `token=${encodeURIComponent(value)}`;
      const type = {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Bearer ${SESSION_KEY}`,
      };
      answered(t, await sessionAdmin.post('/introspect', { body, headers: type }), [200]);
    }
  });

  await t.test('in paths and queries', async (t) => {
    for (const value of HOSTILE.map(encodeURIComponent)) {
      for (const [client, path, expected] of [
        [challenge, `/api/captcha/${value}.png`, [404]],
        [challenge, `/api/captcha?preset=${value}`, [422]],
        [challenge, `/api/captcha?${value}=${value}`, [200]],
        [challenge, `/api/captcha/pow?scope=${value}`, [200]],
        [challenge, `/api/captcha?preset=effort&scope=${value}`, [200]],
        [session, `/profile?${value}=${value}`, [200]],
        [session, `/${value}`, [404]],
        [session, `/.well-known/jwks.json?${value}=${value}`, [200]],
        [session, `/.well-known/${value}`, [404]],
      ] as const) {
        answered(t, await client.get(path, { headers: { authorization: bearer } }), expected, path);
      }
      const headers = { authorization: bearer };
      answered(t, await session.delete(`/sessions/${value}`, { headers }), [404]);
      const key = { authorization: `Bearer ${SESSION_KEY}` };
      // Some of these texts could be ids; nobody has them, and nobody has sessions.
      const isId = isUserId(decodeURIComponent(value));
      const ofUser = `/users/${value}/sessions`;
      answered(t, await sessionAdmin.delete(ofUser, { headers: key }), [isId ? 204 : 404]);
      const ofSession = `/users/${user.id}/sessions/${value}`;
      answered(t, await sessionAdmin.delete(ofSession, { headers: key }), [404]);
      answered(t, await sessionAdmin.get(ofUser, { headers: key }), [isId ? 200 : 404]);
      const setting = { headers: key, body: { new_password: user.password } };
      answered(t, await sessionAdmin.send('PUT', `/users/${value}/password`, setting), [404]);
      for (const [query, expected] of [
        [`since=${value}`, 422],
        [`limit=${value}`, 422],
        [`${value}=${value}`, 200],
      ] as const) {
        answered(
          t,
          await sessionAdmin.get(`/sessions/revoked?${query}`, { headers: key }),
          [expected],
          query,
        );
      }
      const asking = { headers: key, body: { origin: 'x' } };
      answered(t, await sessionAdmin.post(`/users/${value}/sign-in-codes`, asking), [404, 422]);
    }
  });

  await t.test('in headers', async (t) => {
    const names = ['authorization', 'cookie', 'origin', 'sec-fetch-site', 'accept-language', 'user-agent'];
    names.push('x-forwarded-for', 'content-type', 'x-request-id', 'request-id', '__proto__', 'constructor');
    names.push('if-none-match');
    for (const name of names) {
      for (const value of HOSTILE.filter((value) => !/[\r\n\u2028]/.test(value))) {
        for (const path of [
          '/login',
          '/login/code',
          '/reauthenticate',
          '/reauthenticate/code',
          '/password',
          '/refresh',
          '/logout',
        ]) {
          const answer = await session.post(path, { body: '{}', headers: { [name]: value } });
          answered(t, answer, [401, 403, 415, 422], `${name} ${path}`);
        }
        answered(t, await challenge.get('/api/captcha/pow', { headers: { [name]: value } }), [200], name);
        const keys = await session.get('/.well-known/jwks.json', { headers: { [name]: value } });
        answered(t, keys, [200], name);
      }
    }
    // Node's client sends no line breaks; a raw one turns them into another header, and no more.
    const { port } = new URL(session.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(`GET /profile HTTP/1.1\r\nHost: x\r\nUser-Agent: ${LINES}\r\n`);
    t.notMatch(await text(socket), 'injected');
  });

  await t.test('in the listed name of a session', async (t) => {
    const agent = '{"__proto__":{"injected":1}} \u00e9"><b>\\r\\n';
    const headers = { 'user-agent': Buffer.from(agent).toString('latin1') };
    const signedIn = await site.logIn(user, { headers });
    const { json } = await gateway.get('/sessions', {
      headers: { authorization: `Bearer ${signedIn.accessToken}` },
    });
    const [current] = json.sessions.filter(({ current }: { current: boolean }) => current);
    t.match(current.user_agent, '{"__proto__":{"injected":1}}', 'it is an ordinary text');
  });

  await t.test('no part of it is a header, a property, or a log line', async (t) => {
    t.strictSame((await gateway.get('/profile', { headers: { authorization: bearer } })).json, {
      id: user.id,
      email: user.email,
    });
    const lines = (await site.logs()).split('\n').filter(Boolean);
    t.ok(lines.length > 500);
    const parsed = lines.map((line) => JSON.parse(line));
    t.strictSame(
      parsed.filter(({ level, msg }) => level === 'fatal' || level === 'error' || msg === 'injected'),
      [],
    );
    t.notOk(
      lines.some((line) => line.includes('injected')),
      'the sent texts are not in the log',
    );
  });

  /** One of the statuses, and no sent text became a response header. */
  function answered(
    t: Test,
    { status, headers, cookies, text }: Answer,
    expected: readonly number[],
    hint = '',
  ): void {
    const clean = !JSON.stringify([headers, cookies, text]).includes('injected');
    if (!expected.includes(status) || !clean) t.fail(`${status} ${hint} ${text}`.slice(0, 300));
  }
}
