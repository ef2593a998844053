// Login and logout: requests, responses for the page, and unchanged state after failures.
import t from 'tap';
import { openTestSession } from '../support/session-clock.js';
import { errorResponse, grant, lost, startScriptedService } from '../support/session-script.js';
import { loginFields, refreshing, signIn } from '../support/session-sign-in.js';

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
