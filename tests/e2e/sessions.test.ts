// Refresh, logout and a protected resource: generations, cookies, tokens, restarts.

import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { refusal } from './refusals.js';
import { CHEAP, eachStore, type Site } from './site.js';

const COOKIE = /^refreshToken=[A-Za-z0-9%]+; Max-Age=604800; Path=\/refresh; HttpOnly; SameSite=Strict$/;
const DEVICE_COOKIE = /^knownDevice=[A-Za-z0-9%]+; Max-Age=7776000; Path=\/login; HttpOnly; SameSite=Strict$/;
const CLEARED =
  'refreshToken=; Max-Age=0; Path=/refresh; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict';
/** The cookie of a browser's key, which is not sent to `/logout`. */
const BINDING_CLEARED = CLEARED.replace('refreshToken', 'refreshBinding');
/** The cookies that a conflict expires: all but those that may be our own. */
const TWIN_PLACES = [
  'Path=/',
  'Path=/refresh/',
  'Domain=localhost; Path=/',
  'Domain=localhost; Path=/refresh',
]
  .concat('Domain=localhost; Path=/refresh/')
  .map((place) => `refreshToken=; Max-Age=0; ${place}`);
const TWINS_EXPIRED = TWIN_PLACES.flatMap((text) => [text, `${text}; Secure; Partitioned`]).sort();
/** Longer than the window after a rotation. */
const BEYOND_WINDOW_MS = 31_000;

t.test('sessions', (t) => eachStore(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
  await t.test('a refresh returns new tokens of the next generation', async (t) => {
    const { cookie, accessToken } = await site.logIn(await site.newUser());
    const answer = await site.refresh(cookie);
    t.equal(answer.status, 200);
    t.strictSame(answer.json, { accessToken: answer.json.accessToken, expiresIn: 900 });
    t.not(answer.json.accessToken, accessToken);
    t.equal(answer.cookies.length, 1);
    t.match(answer.cookies[0], COOKIE);
    t.equal(answer.headers['cache-control'], 'no-store');
    for (const sent of [
      { body: '', headers: { 'content-type': 'application/json' } },
      { body: '{}', headers: { 'content-type': 'application/json' } },
      {},
    ]) {
      t.equal((await site.refresh(cookieOf(answer), sent)).status, 200, 'with or without an empty body');
    }
  });

  await t.test('within the window an old cookie still works, in any order', async (t) => {
    const { cookie: first } = await site.logIn(await site.newUser());
    const second = cookieOf(await site.refresh(first));
    for (const cookie of [first, second, first, second]) {
      t.equal((await site.refresh(cookie)).status, 200);
    }
    await site.age(BEYOND_WINDOW_MS);
    const third = cookieOf(await site.refresh(second));
    t.equal((await site.refresh(second)).status, 200);
    await site.age(BEYOND_WINDOW_MS);
    t.equal((await site.refresh(third)).status, 200, 'repetition did no harm');
  });

  await t.test('an old cookie after the window ends only its session, and is reported', async (t) => {
    const user = await site.newUser();
    for (const thiefFirst of [true, false]) {
      const other = await site.logIn(user);
      const { cookie: stolen } = await site.logIn(user);
      const sid = (await site.events('login')).at(-1)?.sid;
      const one = cookieOf(await site.refresh(stolen));
      await site.age(BEYOND_WINDOW_MS);
      const two = cookieOf(await site.refresh(one));
      await site.age(BEYOND_WINDOW_MS);
      const reused = await site.refresh(thiefFirst ? stolen : one);
      if (!thiefFirst) {
        // The response with `two` may have been lost: the first such return is forgiven, until `two` is used.
        t.equal(reused.status, 200);
        await site.age(BEYOND_WINDOW_MS);
        t.equal((await site.refresh(two)).status, 200);
        await site.age(BEYOND_WINDOW_MS);
        refused(t, await site.refresh(one), 'session_revoked');
      } else refused(t, reused, 'session_revoked');
      t.match((await site.events('refresh_reuse_detected')).at(-1), { sid, uid: user.id });
      refused(t, await site.refresh(two), 'session_revoked');
      t.equal((await site.refresh(other.cookie)).status, 200, 'other sessions of the user continue');
    }
  });

  await t.test('lost responses are forgiven four times a day', async (t) => {
    let { cookie } = await site.logIn(await site.newUser());
    for (let lost = 1; lost <= 5; lost++) {
      await site.refresh(cookie);
      await site.age(BEYOND_WINDOW_MS);
      const answer = await site.refresh(cookie);
      if (lost === 5) refused(t, answer, 'session_revoked');
      else t.equal(answer.status, 200, `lost response ${lost}`);
      cookie = cookieOf(answer);
      await site.age(BEYOND_WINDOW_MS);
    }
  });

  await t.test('an invalid refresh cookie is rejected, and clears nothing', async (t) => {
    const { cookie, accessToken } = await site.logIn(await site.newUser());
    const value = cookie.slice('refreshToken='.length);
    const wrong = [
      '',
      'x',
      '%',
      '%zz',
      accessToken,
      `${value}%20`,
      `${value}=`,
      `${value}!`,
      `${value.slice(0, -6)}`,
      encodeURIComponent(encodeURIComponent(value)),
      `"${value}`,
      value.replace(/[A-Za-z]/, (letter) => (letter === 'A' ? 'B' : 'A')),
      'a'.repeat(4097),
      ...[4, 8, 12, 15].map((bytes) => shortened(value, 16 - bytes)),
    ];
    for (const text of wrong) {
      refused(t, await site.refresh(`refreshToken=${text}`), 'token_invalid', text.slice(0, 20));
    }
    refused(t, await site.gateway.post('/refresh'), 'token_invalid', 'no cookie');
    refused(t, await site.refresh(`refreshtoken=${value}`), 'token_invalid', 'another name');
    refused(t, await site.refresh(`__Secure-refreshToken=${value}`), 'token_invalid');
    t.equal((await site.refresh(cookie)).status, 200);
  });

  await t.test('a token with any flipped byte gets the same rejection', async (t) => {
    const { cookie, accessToken } = await site.logIn(await site.newUser());
    const value = cookie.slice('refreshToken='.length);
    const answers = await Promise.all([
      ...flips(value).map((text) => site.refresh(`refreshToken=${text}`)),
      ...flips(accessToken).map((text) => site.gateway.get('/profile', bearer(text))),
    ]);
    t.ok(answers.length > 300);
    t.strictSame(
      new Set(answers.map(({ status, text }) => `${status} ${text}`)),
      new Set([`401 ${JSON.stringify(refusal('token_invalid'))}`]),
    );
  });

  await t.test('of several cookies the valid one counts, of one session the higher generation', async (t) => {
    const { cookie: old } = await site.logIn(await site.newUser());
    const current = cookieOf(await site.refresh(old));
    await site.age(BEYOND_WINDOW_MS);
    const next = cookieOf(await site.refresh([old, current]));
    await site.age(BEYOND_WINDOW_MS);
    const afterNext = await site.refresh([next, 'refreshToken=planted', current]);
    t.equal(afterNext.status, 200, 'both orders');
    for (const cookies of [
      ['refreshToken=planted', cookieOf(afterNext)],
      [cookieOf(afterNext), 'refreshToken=planted', 'refreshToken='],
      ['theme=dark', cookieOf(afterNext), 'refreshTokenX=1'],
    ]) {
      t.equal((await site.refresh(cookies)).status, 200, cookies[0]?.slice(0, 20) ?? '');
    }
  });

  await t.test('two different sessions are a conflict, whose response expires the twins', async (t) => {
    const user = await site.newUser();
    const other = await site.newUser();
    const pairs = [
      [await site.logIn(user), await site.logIn(user)],
      [await site.logIn(user), await site.logIn(other)],
    ] as const;
    for (const [one, two] of pairs) {
      for (const cookies of [
        [one.cookie, two.cookie],
        [two.cookie, one.cookie],
      ]) {
        const answer = await site.refresh(cookies);
        t.strictSame([answer.status, answer.json], [401, refusal('cookie_conflict')]);
        t.strictSame([...answer.cookies].sort(), TWINS_EXPIRED, 'neither cookie that may be ours');
      }
      t.equal((await site.refresh(one.cookie)).status, 200, 'neither session has ended');
      t.equal((await site.refresh(two.cookie)).status, 200);
    }
  });

  await t.test('an ended planted session causes no conflict', async (t) => {
    const [owner, thief] = [await site.newUser(), await site.newUser()];
    for (const end of ['logout', 'DELETE /refresh', 'time'] as const) {
      const planted = await site.logIn(thief);
      if (end === 'logout') await site.gateway.post('/logout', bearer(planted.accessToken));
      if (end === 'DELETE /refresh')
        await site.gateway.delete('/refresh', { headers: { cookie: planted.cookie } });
      if (end === 'time') await site.age(604_801_000);
      const own = await site.logIn(owner);
      const answer = await site.refresh([planted.cookie, own.cookie]);
      t.equal(answer.status, 200, end);
      if (end === 'time') continue;
      t.match(answer.cookies[0], COOKIE, 'ours is the first');
      t.strictSame(answer.cookies.slice(1).sort(), TWINS_EXPIRED, 'every twin is expired');
    }
  });

  await t.test(
    'if every session of a conflict has ended, the response reports it and expires the twins',
    async (t) => {
      const both = [await site.logIn(await site.newUser()), await site.logIn(await site.newUser())];
      for (const { accessToken } of both) await site.gateway.post('/logout', bearer(accessToken));
      const answer = await site.refresh(both.map(({ cookie }) => cookie));
      t.strictSame([answer.status, answer.json], [401, refusal('session_revoked')]);
      t.strictSame([...answer.cookies].sort(), TWINS_EXPIRED);
    },
  );

  await t.test('a login sets one session cookie, before the device cookie', async (t) => {
    const user = await site.newUser();
    for (const headers of [{ origin: site.system.address }, {}]) {
      const { cookies } = await site.tryLogIn(user, { headers });
      t.match(cookies, [COOKIE, DEVICE_COOKIE]);
      t.equal(cookies.length, 2);
    }
  });

  await t.test(
    'more cookies than a refresh opens are a conflict, whose response expires the twins',
    async (t) => {
      const { cookie } = await site.logIn(await site.newUser());
      const planted = (count: number) => [...Array<string>(count).fill('refreshToken=planted'), cookie];
      t.equal((await site.refresh(planted(7))).status, 200, 'eight are read');
      const answer = await site.refresh(planted(8));
      t.strictSame([answer.status, answer.json], [401, refusal('cookie_conflict')]);
      t.strictSame([...answer.cookies].sort(), TWINS_EXPIRED);
      t.equal((await site.refresh(cookie)).status, 200, 'the repetition of the client succeeds');
    },
  );

  await t.test('a disabled user loses every session at the next refresh', async (t) => {
    const user = await site.newUser();
    const sessions = [await site.logIn(user), await site.logIn(user)];
    await site.directory.setDisabled(user.email.toLowerCase(), true);
    refused(t, await site.refresh(sessions[0]?.cookie ?? ''), 'session_revoked');
    await site.directory.setDisabled(user.email.toLowerCase(), false);
    for (const { cookie } of sessions) refused(t, await site.refresh(cookie), 'session_revoked');
    t.equal((await site.events('revoke')).filter(({ uid }) => uid === user.id).length, 2);
    t.equal((await site.tryLogIn(user)).status, 200);
  });

  await t.test('tokens expire after their lifetimes', async (t) => {
    const { accessToken } = await site.logIn(await site.newUser());
    // Of another session, whose proof of use is not being written while the clock jumps over its end.
    const { cookie } = await site.logIn(await site.newUser());
    const move = (seconds: number) => site.moveClock('session-service', seconds * 1000);
    const profile = async () => (await site.gateway.get('/profile', bearer(accessToken))).status;
    const aheadSeconds = site.clockAheadMs() / 1000;
    await move(aheadSeconds + 890);
    t.equal(await profile(), 200);
    await move(aheadSeconds + 910);
    t.equal(await profile(), 401);
    await move(aheadSeconds + 604_810);
    refused(t, await site.refresh(cookie), 'session_expired');
    await move(aheadSeconds);
    t.equal((await site.refresh(cookie)).status, 200);
  });

  await t.test('a session without a refresh for seven days expires', async (t) => {
    const { cookie } = await site.logIn(await site.newUser());
    await site.age(604_801_000);
    const answer = await site.refresh(cookie);
    t.equal(answer.status, 401);
    t.match(answer.json.code, /^session_(expired|revoked)$/);
  });

  await t.test(
    'DELETE /refresh ends the session of any of its cookies without reporting reuse',
    async (t) => {
      const user = await site.newUser();
      const reports = (await site.events('refresh_reuse_detected')).length;
      const other = await site.logIn(user);
      const { cookie: first, accessToken } = await site.logIn(user);
      const sid = (await site.events('login')).at(-1)?.sid;
      const second = cookieOf(await site.refresh(first));
      await site.age(BEYOND_WINDOW_MS);
      const third = cookieOf(await site.refresh(second));
      cleared(t, await site.gateway.delete('/refresh', { headers: { cookie: first } }));
      refused(t, await site.refresh(third), 'session_revoked');
      t.match((await site.events('logout')).at(-1), { sid, uid: user.id });
      t.equal((await site.events('refresh_reuse_detected')).length, reports);
      t.equal((await site.refresh(other.cookie)).status, 200);
      const profile = await site.gateway.get('/profile', bearer(accessToken));
      t.strictSame([profile.status, profile.json], [401, refusal('session_revoked')], 'its bearer too');

      const both = [await site.logIn(user), await site.logIn(user)].map(({ cookie }) => cookie);
      cleared(t, await site.gateway.delete('/refresh', { headers: { cookie: both.join('; ') } }));
      for (const cookie of both) refused(t, await site.refresh(cookie), 'session_revoked');
      for (const headers of [
        {},
        { cookie: first },
        { cookie: 'refreshToken=x' },
        { cookie: second, 'content-type': 'application/json' },
      ]) {
        cleared(t, await site.gateway.delete('/refresh', { headers }));
      }
    },
  );

  await t.test('POST /logout ends the session of the bearer and clears the cookie', async (t) => {
    const user = await site.newUser();
    const other = await site.logIn(user);
    const { accessToken, cookie } = await site.logIn(user);
    const sid = (await site.events('login')).at(-1)?.sid;
    cleared(t, await site.gateway.post('/logout', bearer(accessToken)), BINDING_CLEARED);
    refused(t, await site.refresh(cookie), 'session_revoked');
    for (const path of ['/profile', '/sessions', '/verify']) {
      const answer = await site.gateway.get(path, bearer(accessToken));
      t.strictSame([answer.status, answer.json], [401, refusal('session_revoked')], path);
    }
    t.match((await site.events('logout')).at(-1), { sid, uid: user.id });
    t.equal((await site.refresh(other.cookie)).status, 200);
    const again = await site.gateway.post('/logout', {
      body: '',
      headers: { ...bearer(other.accessToken).headers, 'content-type': 'application/json' },
    });
    cleared(t, again, BINDING_CLEARED);
    const nobody = await site.gateway.post('/logout', { headers: { cookie } });
    unauthorised(t, nobody);
    t.strictSame(nobody.cookies, []);
  });

  await t.test('refresh and logout reject requests from another site', async (t) => {
    const { cookie, accessToken } = await site.logIn(await site.newUser());
    const { authorization } = bearer(accessToken).headers;
    for (const source of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      for (const [method, path] of [
        ['POST', '/refresh'],
        ['DELETE', '/refresh'],
        ['POST', '/logout'],
      ] as const) {
        const answer = await site.gateway.send(method, path, {
          headers: { cookie, authorization, ...source },
        });
        t.strictSame([answer.status, answer.json, answer.cookies], [403, refusal('origin_refused'), []]);
      }
    }
    const own = { origin: site.system.address, 'sec-fetch-site': 'same-origin' };
    t.equal((await site.refresh(cookie, { headers: own })).status, 200);
  });

  await t.test('the profile is the user of the bearer', async (t) => {
    const { id, email, ...user } = await site.newUser();
    const { accessToken, cookie } = await site.logIn({ id, email, ...user });
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await site.gateway.get('/profile', {
        headers: { authorization: `${scheme} ${accessToken}` },
      });
      t.strictSame([answer.status, answer.json], [200, { id, email }]);
      t.equal(answer.headers['cache-control'], 'no-store');
    }
    const refreshToken = cookie.slice('refreshToken='.length);
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      accessToken,
      `Basic ${accessToken}`,
      `Bearer ${refreshToken}`,
      `Bearer ${encodeURIComponent(encodeURIComponent(accessToken))}`,
      `Bearer "${accessToken}"`,
      `Bearer ${accessToken}, Bearer ${accessToken}`,
      `Bearer ${accessToken.slice(0, -3)}`,
      `Bearer ${'a'.repeat(5000)}`,
      'Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJpZCI6MX0.',
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      unauthorised(t, await site.gateway.get('/profile', { headers }));
    }
    unauthorised(t, await site.gateway.get(`/profile?access_token=${accessToken}`));
  });

  await t.test('a user sees the sessions, and ends another, or all others', async (t) => {
    const user = await site.newUser();
    const here = await site.logIn(user, { headers: { 'user-agent': 'here' } });
    const there = await site.logIn(user, { headers: { 'user-agent': 'there' } });
    await site.logIn(user);
    const stranger = await site.logIn(await site.newUser());
    const own = bearer(here.accessToken);
    const list = async () => (await site.gateway.get('/sessions', own)).json.sessions;
    const listed: { id: string; current: boolean; user_agent: string }[] = await list();
    t.equal(listed.length, 3);
    t.strictSame(
      listed.filter(({ current }) => current).map(({ user_agent }) => user_agent),
      ['here'],
    );
    const { id = '' } = listed.find(({ user_agent }) => user_agent === 'there') ?? {};
    const foreign = await site.gateway.delete(`/sessions/${id}`, bearer(stranger.accessToken));
    t.strictSame(
      [foreign.status, foreign.json],
      [404, refusal('not_found')],
      'not the session of another user',
    );
    t.equal((await site.gateway.delete(`/sessions/${id}`, own)).status, 204);
    const ended = await site.gateway.get('/profile', bearer(there.accessToken));
    t.strictSame([ended.status, ended.json], [401, refusal('session_revoked')]);
    refused(t, await site.refresh(there.cookie), 'session_revoked');
    t.equal((await list()).length, 2);
    t.equal((await site.gateway.delete('/sessions', own)).status, 204);
    t.match(await list(), [{ current: true, user_agent: 'here' }]);
    t.equal((await list()).length, 1);
    t.equal((await site.refresh(stranger.cookie)).status, 200);
  });

  await t.test('a gateway gets the user of a request', async (t) => {
    const user = await site.newUser();
    const { accessToken } = await site.logIn(user);
    const sid = (await site.events('login')).at(-1)?.sid;
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await site.gateway.send(method, '/verify', bearer(accessToken));
      t.equal(status, 204);
      t.match(headers, {
        'x-auth-user-id': String(user.id),
        'x-auth-user-email': user.email,
        'x-auth-session-id': sid,
      });
    }
    unauthorised(t, await site.gateway.get('/verify'));
  });

  await t.test('the least recently used of 51 sessions is ended', async (t) => {
    const user = await site.newUser();
    const first = await site.logIn(user);
    const second = await site.logIn(user);
    await site.refresh(first.cookie);
    for (let n = 3; n <= 51; n++) await site.logIn(user);
    refused(t, await site.refresh(second.cookie), 'session_revoked');
    t.equal((await site.refresh(first.cookie)).status, 200);
    t.equal((await site.events('revoke')).filter(({ uid }) => uid === user.id).length, 1);
  });

  await t.test('a restart loses no session and forgets no reuse', async (t) => {
    const user = await site.newUser();
    const { cookie: old, accessToken } = await site.logIn(user);
    const { cookie: kept } = await site.logIn(user);
    const current = cookieOf(await site.refresh(old));
    await site.age(BEYOND_WINDOW_MS);
    await site.refresh(current);
    await site.restart('session-service');
    await site.age(BEYOND_WINDOW_MS);
    t.equal((await site.gateway.get('/profile', bearer(accessToken))).status, 200);
    t.equal((await site.refresh(kept)).status, 200);
    refused(t, await site.refresh(old), 'session_revoked');
  });
}

function refused(t: Test, answer: Answer, code: Parameters<typeof refusal>[0], hint = ''): void {
  t.strictSame([answer.status, answer.json, answer.cookies], [401, refusal(code), []], hint);
}

function unauthorised(t: Test, answer: Answer): void {
  t.strictSame([answer.status, answer.json], [401, refusal('token_invalid')]);
  t.equal(answer.headers['www-authenticate'], 'Bearer');
}

function cleared(t: Test, answer: Answer, ...others: string[]): void {
  t.strictSame([answer.status, answer.text, answer.cookies], [204, '', [CLEARED, ...others]]);
}

const cookieOf = (answer: Answer) => answer.cookies[0]?.split(';')[0] ?? '';
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** The token with one bit of each of its bytes flipped in turn. */
function flips(token: string): string[] {
  const bytes = Buffer.from(decodeURIComponent(token), 'base64');
  return Array.from(bytes, (_, at) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
    return encodeURIComponent(copy.toString('base64'));
  });
}

/** The token without its last bytes, so with a shorter tag. */
function shortened(token: string, bytes: number): string {
  const all = Buffer.from(decodeURIComponent(token), 'base64');
  return encodeURIComponent(all.subarray(0, all.length - bytes).toString('base64'));
}
