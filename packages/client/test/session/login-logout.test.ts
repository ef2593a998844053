// Login and logout: requests, responses for the page, state after failures, and order beside refreshes.
import t, { type Test } from 'tap';
import { openTestSession, type TestSessionOptions } from '../support/session-clock.js';
import {
  errorResponse,
  grant,
  lost,
  type ScriptedService,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';
import { openTabs } from '../support/session-tabs.js';

const bob = { ...loginFields, email: 'b@example.com' };
const environments: Readonly<Record<string, () => TestSessionOptions>> = {
  'with locks': openTabs,
  'without locks': () => ({}),
};

function later() {
  let release = () => {};
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { after, release };
}

/** Opens a session that records its aborted refreshes. */
function steer(t: Test, script: ScriptedService, options: TestSessionOptions) {
  const cut: string[] = [];
  const counting: typeof fetch = async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      cut.push(`${init?.method} ${new URL(String(input)).pathname}`);
      throw error;
    }
  };
  return {
    cut,
    ...openTestSession(t, script.address, { ...options, fetch: counting, leavesRequestsOpen: true }),
  };
}

const routes = (script: ScriptedService) => script.requests.map(({ route }) => route);

t.test('a login posts its fields as JSON and starts the session', async (t) => {
  const { script, session, nowMs } = await signIn(t);
  t.same(JSON.parse(script.requests[0]?.body ?? ''), loginFields);
  t.same(session.state, { status: 'signed-in', expiresAtMs: nowMs() + 900_000, reason: null });
});

t.test('the page gets the login response without the token', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses('POST /login', grant(900));
  const answer = await session.login(loginFields);
  t.equal(answer.status, 200);
  t.ok(answer.ok);
  t.same(await answer.clone().json(), { expiresIn: 900 });
  t.notOk(
    JSON.stringify([await answer.text(), [...answer.headers], session, session.state]).includes('token'),
  );
});

t.test('a rejected login returns the complete unread response', async (t) => {
  const body = { message: 'No.', code: 'login_failed', captcha_required: true, pow_scope: 'ticket' };
  for (const status of [422, 429, 403, 503, 401]) {
    const script = await startScriptedService(t);
    const { session, expired } = openTestSession(t, script.address);
    script.setResponses('POST /login', { status, body, headers: { 'retry-after': '3' } });
    const answer = await session.login(loginFields);
    t.equal(answer.status, status);
    t.same(await answer.json(), body);
    t.equal(answer.headers.get('retry-after'), '3');
    t.same(session.state, { status: 'unknown', expiresAtMs: null, reason: null });
    t.same(expired, []);
    t.equal(script.requests.length, 1);
  }
});

t.test('a login with a code posts the code, starts the session, and hides the token too', async (t) => {
  const script = await startScriptedService(t);
  const { session, nowMs } = openTestSession(t, script.address);
  const refusal = { message: 'No.', code: 'code_invalid' };
  script.setResponses('POST /login/code', { status: 422, body: refusal }, grant(900));
  const refused = await session.loginWithCode('used');
  t.equal(refused.status, 422);
  t.same(await refused.json(), refusal);
  t.equal(session.state.status, 'unknown');
  const answer = await session.loginWithCode('new', { remember: false });
  t.same(await answer.json(), { expiresIn: 900 });
  t.same(session.state, { status: 'signed-in', expiresAtMs: nowMs() + 900_000, reason: null });
  t.same(
    script.requests.map(({ body }) => JSON.parse(body)),
    [{ code: 'used' }, { code: 'new', remember: false }],
  );
});

t.test('a reauthentication carries the access token, and the new token replaces it', async (t) => {
  const { script, session } = await signIn(t);
  const [first] = script.issuedTokens;
  script.setResponses('POST /reauthenticate', errorResponse(422, 'login_failed'), grant(900));
  script.setResponses('POST /reauthenticate/code', grant(900));
  const refused = await session.reauthenticate({ password: 'wrong' });
  t.equal((await refused.json()).code, 'login_failed');
  t.equal(session.state.status, 'signed-in');
  const answer = await session.reauthenticate({ password: 'right', pow_token: 'x' });
  t.same(await answer.json(), { expiresIn: 900 });
  t.same((await session.reauthenticate({ code: 'a code' })).status, 200);
  script.setResponses('GET /orders', { status: 200, body: {} });
  await session.fetch('/orders');
  const [, second, third] = script.issuedTokens;
  const sent = script.requests.filter(({ route }) => route !== 'POST /login');
  t.same(
    sent.map(({ route, authorization, body }) => ({ route, authorization, body })),
    [
      { route: 'POST /reauthenticate', authorization: `Bearer ${first}`, body: '{"password":"wrong"}' },
      {
        route: 'POST /reauthenticate',
        authorization: `Bearer ${first}`,
        body: '{"password":"right","pow_token":"x"}',
      },
      { route: 'POST /reauthenticate/code', authorization: `Bearer ${second}`, body: '{"code":"a code"}' },
      { route: 'GET /orders', authorization: `Bearer ${third}`, body: '' },
    ],
  );
});

t.test('a password change carries the access token, and the session continues', async (t) => {
  const { script, session } = await signIn(t);
  const [token] = script.issuedTokens;
  script.setResponses('POST /password', errorResponse(422, 'login_failed'), { status: 204 }, lost, lost);
  const fields = { old_password: 'old', new_password: 'a new password', pow_token: 'x' };
  const before = session.state;
  const refused = await session.changePassword({ ...fields, old_password: 'wrong' });
  t.equal((await refused.json()).code, 'login_failed');
  t.equal((await session.changePassword(fields)).status, 204);
  await t.rejects(session.changePassword(fields), { name: 'TypeError' });
  t.equal(session.state, before);
  t.same(
    script.requests
      .filter(({ route }) => route === 'POST /password')
      .slice(0, 2)
      .map(({ authorization, body }) => [authorization, JSON.parse(body)]),
    [
      [`Bearer ${token}`, { ...fields, old_password: 'wrong' }],
      [`Bearer ${token}`, fields],
    ],
  );
});

t.test('a login without a response fails like fetch, one without a token with invalid_answer', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses('POST /login', lost, { status: 200, body: { ok: true } });
  await t.rejects(session.login(loginFields), { name: 'TypeError' });
  await t.rejects(session.login(loginFields), { name: 'SessionError', reason: 'invalid_answer' });
  t.equal(session.state.status, 'unknown');
});

t.test('custom headers and options apply to every session request', async (t) => {
  const script = await startScriptedService(t);
  const seen: RequestInit[] = [];
  const { session } = openTestSession(t, script.address, {
    fetchOptions: { headers: { 'x-own': '1', 'accept-language': 'fr' }, credentials: 'same-origin' },
    fetch: (input, init) => {
      seen.push(init ?? {});
      return fetch(input, init);
    },
  });
  script.setResponses('POST /login', grant());
  script.setResponses('POST /logout', errorResponse(401, 'token_invalid'));
  script.setResponses('DELETE /refresh', { status: 204 });
  await session.login(loginFields);
  await session.logout();
  t.same(
    seen.map(({ method, credentials, headers }) => [
      method,
      credentials,
      new Headers(headers).get('x-own'),
      new Headers(headers).get('accept-language'),
    ]),
    ['POST', 'POST', 'DELETE'].map((method) => [method, 'same-origin', '1', 'fr']),
  );
});

t.test('a logout sends the token and forgets it', async (t) => {
  const { script, session, token, advance, expired } = await signIn(t);
  script.setResponses('POST /logout', { status: 204 });
  script.setResponses('GET /thing', { status: 200, body: {} });
  await session.logout();
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${token}`);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: 'logged_out' });
  await session.fetch('thing');
  t.equal(script.requests.at(-1)?.authorization, undefined);
  await advance(3600);
  t.equal(script.count(refreshing), 0);
  t.same(expired, [], 'a logout is not reported as an expiry');
});

t.test('a logout with a rejected token ends the cookie’s session', async (t) => {
  const { script, session } = await signIn(t);
  script.setResponses('POST /logout', errorResponse(401, 'token_invalid'));
  script.setResponses('DELETE /refresh', { status: 204 });
  await session.logout();
  t.same(
    script.requests.slice(1).map(({ route, authorization }) => [route, authorization === undefined]),
    [
      ['POST /logout', false],
      ['DELETE /refresh', true],
    ],
  );
  t.equal(session.state.status, 'signed-out');
});

t.test('without a token, a logout ends the cookie’s session', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses('DELETE /refresh', { status: 204 });
  await session.logout();
  t.same(script.requests, [{ route: 'DELETE /refresh', authorization: undefined, body: '' }]);
  t.equal(session.state.status, 'signed-out');
});

for (const { answer, reason, retryAfterMs = 0 } of [
  { answer: errorResponse(503, 'store_unavailable', '2'), reason: 'store_unavailable', retryAfterMs: 2000 },
  { answer: errorResponse(429, 'rate_limited', '9'), reason: 'rate_limited', retryAfterMs: 9000 },
  { answer: errorResponse(403, 'origin_refused'), reason: 'origin_refused' },
  { answer: errorResponse(500), reason: 'http_500' },
  { answer: lost, reason: 'network' },
]) {
  t.test(`an unconfirmed logout throws, and is completed later: ${reason}`, async (t) => {
    const { script, session, advance, expired, losses } = await signIn(t);
    script.setResponses('POST /logout', answer);
    script.setResponses('DELETE /refresh', answer);
    script.setResponses('GET /thing', { status: 200, body: {} });
    await t.rejects(session.logout(), { name: 'SessionError', reason, status: answer.status, retryAfterMs });
    t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: 'logout_pending' });
    await session.fetch('thing');
    t.equal(script.requests.at(-1)?.authorization, undefined, 'the token is dropped');
    await advance(840);
    t.equal(session.state.reason, 'logout_pending');
    script.setResponses('DELETE /refresh', { status: 204 });
    await advance(300);
    t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: 'logged_out' });
    const ends = script.count('DELETE /refresh');
    await advance(3600);
    t.equal(script.count('DELETE /refresh'), ends);
    t.equal(script.count('POST /logout'), 1);
    t.equal(script.count(refreshing), 0, 'nothing was refreshed');
    t.same([expired, losses], [[], []]);
  });
}

t.test('a logout keeps the page’s own Authorization', async (t) => {
  const authorization = 'Basic c3RhZ2luZzpzZWNyZXQ=';
  const { script, session } = await signIn(t, 900, { fetchOptions: { headers: { authorization } } });
  script.setResponses('DELETE /refresh', { status: 204 });
  await session.logout();
  t.same(script.requests.slice(1), [{ route: 'DELETE /refresh', authorization, body: '' }]);
});

for (const [where, options] of Object.entries(environments)) {
  t.test(`a login aborts the current refresh, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session, cut } = steer(t, script, options());
    const { after, release } = later();
    const granted = grant();
    script.setResponses(refreshing, { ...grant(), after });
    script.setResponses('POST /login', granted);
    script.setResponses('GET /thing', { status: 200 });
    const resumed = session.resume();
    await script.received(refreshing, 1);
    t.equal((await session.login(bob)).status, 200);
    t.same(cut, [refreshing], 'so that it sets no cookie');
    t.equal(await resumed, true);
    const { state } = session;
    release();
    await session.fetch('thing');
    t.equal(session.state, state);
    t.same(routes(script), [refreshing, 'POST /login', 'GET /thing'], 'and it is not repeated');
    t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
  });

  t.test(`after a rejected login, the refresh is repeated, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session } = steer(t, script, options());
    const { after, release } = later();
    t.teardown(release);
    script.setResponses(refreshing, { ...grant(), after }, grant());
    script.setResponses('POST /login', errorResponse(422, 'login_failed'));
    const resumed = session.resume();
    await script.received(refreshing, 1);
    t.equal((await session.login(bob)).status, 422);
    t.equal(await resumed, true);
    t.same(routes(script), [refreshing, 'POST /login', refreshing]);
  });

  t.test(`a logout aborts the current refresh, ${where}`, async (t) => {
    const { script, ...signedIn } = await signIn(t, 900, { ...options(), leavesRequestsOpen: true });
    const { after, release } = later();
    script.setResponses(refreshing, { ...grant(), after });
    script.setResponses('POST /logout', { status: 204 });
    await signedIn.advance(840);
    await script.received(refreshing, 1);
    await signedIn.session.logout();
    release();
    await signedIn.settled();
    t.match(signedIn.session.state, { status: 'signed-out', reason: 'logged_out' });
    t.same(routes(script), ['POST /login', refreshing, 'POST /logout']);
  });

  t.test(`requests during a login wait for it, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session } = steer(t, script, options());
    const { after, release } = later();
    script.setResponses('POST /login', { ...grant(), after });
    script.setResponses('POST /logout', { status: 204 });
    const login = session.login(bob);
    const resumed = session.resume();
    const logout = session.logout();
    await script.received('POST /login', 1);
    t.same(routes(script), ['POST /login']);
    release();
    await Promise.all([login, logout]);
    t.equal(await resumed, true);
    t.same(routes(script), ['POST /login', 'POST /logout']);
    t.equal(session.state.status, 'signed-out');
  });

  t.test(`a login without a response within 20 s fails and blocks no other request, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session, advance, cut } = steer(t, script, options());
    const { after, release } = later();
    t.teardown(release);
    script.setResponses('POST /login', { ...grant(), after });
    script.setResponses(refreshing, grant());
    const login = session.login(bob);
    const refused = t.rejects(login, { name: 'SessionError', reason: 'network', status: 0 });
    await script.received('POST /login', 1);
    const resumed = session.resume();
    await advance(19.9);
    t.same(cut, []);
    await advance(0.1);
    await refused;
    t.equal(await resumed, true);
    t.same(routes(script), ['POST /login', refreshing]);
  });
}

t.test('a login in another tab aborts the refresh of this one, and a new one starts', async (t) => {
  const script = await startScriptedService(t);
  const { openChannel } = openTabs();
  const [here, there] = [steer(t, script, { openChannel }), steer(t, script, { openChannel })];
  const { after, release } = later();
  t.teardown(release);
  script.setResponses(refreshing, { ...grant(), after }, grant());
  script.setResponses('POST /login', grant());
  const resumed = here.session.resume();
  await script.received(refreshing, 1);
  await there.session.login(bob);
  await script.received(refreshing, 2);
  t.same(here.cut, [refreshing]);
  t.equal(await resumed, false, 'the resume was for another user');
  t.same(routes(script), [refreshing, 'POST /login', refreshing]);
});

t.test('a logout ends a refresh’s wait for the lock, and replaces it', async (t) => {
  const script = await startScriptedService(t);
  const { locks } = openTabs();
  const { after, release } = later();
  void locks.request('', {}, () => after);
  const { session } = steer(t, script, { locks });
  script.setResponses('DELETE /refresh', { status: 204 });
  const resumed = session.resume();
  const logout = session.logout();
  release();
  await logout;
  t.equal(await resumed, false);
  t.same(routes(script), ['DELETE /refresh']);
});

t.test('a logout that waited for another user’s login ends the cookie’s session', async (t) => {
  const script = await startScriptedService(t);
  const { locks, openChannel } = openTabs();
  const { after, release } = later();
  const here = steer(t, script, { locks, openChannel });
  const there = steer(t, script, { openChannel });
  script.setResponses('POST /login', grant());
  script.setResponses('DELETE /refresh', { status: 204 });
  await here.session.login(loginFields);
  void locks.request('', {}, () => after);
  const logout = here.session.logout();
  const changed = new Promise<void>((resolve) => here.session.subscribe(resolve));
  await there.session.login(bob);
  await changed;
  t.equal(here.session.state.status, 'unknown');
  release();
  await logout;
  t.same(script.requests.slice(2), [{ route: 'DELETE /refresh', authorization: undefined, body: '' }]);
  t.equal(here.session.state.status, 'signed-out');
});
