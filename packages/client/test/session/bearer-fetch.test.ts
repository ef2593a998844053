// Requests with the token: which origins receive it, which requests are repeated, and for which user.
import t from 'tap';
import { openTestSession } from '../support/session-clock.js';
import { errorResponse, grant, lost, startScriptedService } from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';

const fine = { status: 200, body: { fine: true } };

for (const status of [401, 403]) {
  t.test(`a request with a ${status} response is repeated once, after one refresh`, async (t) => {
    const { script, session, token } = await signIn(t);
    const granted = grant();
    script.setResponses(refreshing, granted);
    script.setResponses('POST /thing', errorResponse(status, 'token_invalid'), fine);
    const answer = await session.fetch('thing', { method: 'POST', body: 'some text' });
    t.equal(answer.status, 200);
    t.same(await answer.json(), fine.body);
    t.same(script.requests.slice(1), [
      { route: 'POST /thing', authorization: `Bearer ${token}`, body: 'some text' },
      { route: refreshing, authorization: undefined, body: '' },
      { route: 'POST /thing', authorization: `Bearer ${tokenOf(granted)}`, body: 'some text' },
    ]);
  });

  t.test(`a second ${status} is returned`, async (t) => {
    const { script, session } = await signIn(t);
    script.setResponses('GET /thing', errorResponse(status, 'not_yours'));
    const answer = await session.fetch('thing');
    t.equal(answer.status, status);
    t.same(await answer.json(), errorResponse(status, 'not_yours').body);
    t.equal(script.count('GET /thing'), 2);
    t.equal(script.count(refreshing), 1);
    t.equal(session.state.status, 'signed-in');
  });
}

t.test('no other status is repeated', async (t) => {
  const { script, session } = await signIn(t);
  for (const status of [200, 204, 400, 404, 409, 422, 429, 500, 503]) {
    script.setResponses(`GET /${status}`, { status });
    t.equal((await session.fetch(String(status))).status, status);
    t.equal(script.count(`GET /${status}`), 1);
  }
  t.equal(script.count(refreshing), 0);
});

t.test('when the refresh fails, the error response is returned', async (t) => {
  const { script, session, expired } = await signIn(t);
  script.setResponses('GET /thing', errorResponse(401, 'session_revoked'));
  script.setResponses(refreshing, errorResponse(401, 'session_revoked'));
  const answer = await session.fetch('thing');
  t.equal(answer.status, 401);
  t.same(await answer.json(), errorResponse(401, 'session_revoked').body, 'its body is unread');
  t.equal(script.count('GET /thing'), 1);
  t.same(expired, ['session_revoked']);
});

for (const answer of [
  lost,
  errorResponse(429, 'rate_limited', '5'),
  errorResponse(503, 'store_unavailable'),
]) {
  t.test(`an error response does not wait for refresh retries: ${answer.status}`, async (t) => {
    const { script, session, advance, expired } = await signIn(t);
    const granted = grant();
    script.setResponses('GET /thing', errorResponse(403, 'not_yours'));
    script.setResponses(refreshing, answer, granted);
    const refused = await session.fetch('thing');
    t.equal(refused.status, 403);
    t.same(await refused.json(), errorResponse(403, 'not_yours').body);
    t.equal((await session.fetch('thing')).status, 403, 'nor does the next one');
    t.equal(script.count('GET /thing'), 2);
    t.equal(script.count(refreshing), 1);
    t.equal(session.state.status, 'refreshing', 'the refresh continues');
    await advance(5);
    t.equal(script.count(refreshing), 2);
    t.equal(session.state.status, 'signed-in');
    t.same(expired, []);
    await session.fetch('thing');
    const { authorization } = script.requests.filter(({ route }) => route === 'GET /thing')[2] ?? {};
    t.equal(authorization, `Bearer ${tokenOf(granted)}`);
  });
}

t.test('many requests rejected at once cause one refresh', async (t) => {
  const { script, session } = await signIn(t);
  const names = Array.from({ length: 20 }, (_, at) => `thing-${at}`);
  for (const name of names) script.setResponses(`GET /${name}`, errorResponse(401, 'token_invalid'), fine);
  const answers = await Promise.all(names.map((name) => session.fetch(name)));
  t.ok(answers.every(({ status }) => status === 200));
  t.equal(script.count(refreshing), 1);
});

t.test('with a newer token, the request is repeated without a refresh', async (t) => {
  const { script, session, advance } = await signIn(t, 900, { leavesRequestsOpen: true });
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const granted = grant();
  script.setResponses(refreshing, granted);
  script.setResponses('GET /slow', { ...errorResponse(401, 'token_invalid'), after }, fine);
  const slow = session.fetch('slow');
  await script.received('GET /slow', 1);
  await advance(840);
  while (session.state.status !== 'signed-in')
    await new Promise<void>((resolve) => session.subscribe(resolve));
  t.equal(script.count(refreshing), 1);
  answer();
  t.equal((await slow).status, 200);
  t.equal(script.count(refreshing), 1);
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
});

t.test('a request of one user is not repeated with the token of the next', async (t) => {
  const { script, session } = await signIn(t, 900, { leavesRequestsOpen: true });
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  script.setResponses('POST /order', { ...errorResponse(401, 'session_revoked'), after }, fine);
  const order = session.fetch('order', { method: 'POST', body: '1 ticket' });
  await script.received('POST /order', 1);
  await session.login({ ...loginFields, email: 'b@example.com' });
  answer();
  t.equal((await order).status, 401);
  t.equal(script.count('POST /order'), 1);
});

t.test('nor is a request sent with it that waited for a refresh', async (t) => {
  const { script, session, sleep } = await signIn(t, 900, { leavesRequestsOpen: true });
  const after = new Promise<void>((resolve) => t.teardown(resolve));
  script.setResponses(refreshing, { ...grant(), after }, grant());
  script.setResponses('POST /order', errorResponse(401, 'token_invalid'), fine);
  sleep(1000);
  const order = session.fetch('order', { method: 'POST', body: '1 ticket' });
  await script.received(refreshing, 1);
  script.setResponses('POST /login', grant());
  await session.login({ ...loginFields, email: 'b@example.com' });
  t.equal((await order).status, 401);
  t.same(
    script.requests.filter(({ route }) => route === 'POST /order'),
    [{ route: 'POST /order', authorization: undefined, body: '1 ticket' }],
  );
});

t.test('a request with its own Authorization keeps it, and is not repeated', async (t) => {
  const { script, session, sleep } = await signIn(t);
  const authorization = 'Basic YTpi';
  const own = { headers: { authorization } };
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  const request = new Request(`${script.address}/thing`, own);
  t.equal((await session.fetch('thing', own)).status, 401);
  t.equal((await session.fetch(request)).status, 401);
  sleep(3600);
  t.equal((await session.fetch('thing', own)).status, 401);
  t.same(
    script.requests.slice(1),
    Array.from({ length: 3 }, () => ({ route: 'GET /thing', authorization, body: '' })),
  );
});

t.test('POST /login is sent without token, refresh and repetition', async (t) => {
  const { script, session } = await signIn(t);
  script.setResponses('POST /login', errorResponse(401, 'token_invalid'));
  t.equal((await session.fetch('login', { method: 'POST' })).status, 401);
  t.equal((await session.login(loginFields)).status, 401);
  t.equal(script.requests.at(-2)?.authorization, undefined);
  t.equal(script.count(refreshing), 0);
});

for (const [kind, body, sent] of [
  ['text', 'some text', 'some text'],
  ['bytes', new TextEncoder().encode('bytes'), 'bytes'],
  ['a blob', new Blob(['a blob']), 'a blob'],
  ['a form', new URLSearchParams({ a: '1' }), 'a=1'],
  ['a stream', new Blob(['a stream']).stream(), 'a stream'],
] as const) {
  t.test(`a body can be repeated: ${kind}`, async (t) => {
    const { script, session } = await signIn(t);
    script.setResponses('PUT /thing', errorResponse(401, 'token_invalid'), fine);
    const init = { method: 'PUT', body, duplex: 'half' };
    t.equal((await session.fetch('thing', init)).status, 200);
    t.same(
      script.requests.filter(({ route }) => route === 'PUT /thing').map(({ body }) => body),
      [sent, sent],
    );
  });
}

t.test('a Request is accepted like in fetch, and is not changed', async (t) => {
  const { script, session, token } = await signIn(t);
  script.setResponses('POST /thing', fine);
  const request = new Request(`${script.address}/thing`, {
    method: 'POST',
    body: 'b',
    headers: { 'x-own': '1' },
  });
  await session.fetch(request);
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${token}`);
  t.equal(request.headers.has('authorization'), false);
  t.equal(request.bodyUsed, true, 'as after fetch');
});

t.test('the token is sent to no other origin', async (t) => {
  const { script, session, token } = await signIn(t);
  const other = await startScriptedService(t);
  const sibling = other.address.replace('127.0.0.1', 'localhost');
  other.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  for (const address of [`${other.address}/thing`, `${sibling}/thing`]) {
    for (const input of [address, new URL(address), new Request(address)]) {
      t.equal((await session.fetch(input)).status, 401);
      t.equal(other.requests.at(-1)?.authorization, undefined);
    }
  }
  t.equal(other.requests.length, 6, 'nothing is repeated');
  t.equal(script.count(refreshing), 0);
  // Origins similar to the allowed one.
  const { host } = new URL(script.address);
  other.setResponses('GET //', fine);
  const port = new URL(other.address).port;
  await session.fetch(`http://${host.replace(':', '%3A')}@127.0.0.1:${port}/thing`).catch(() => {});
  await session.fetch(`//127.0.0.1:${port}/thing`);
  await session.fetch(`\\\\127.0.0.1:${port}/thing`);
  t.ok(other.requests.length >= 8);
  t.ok(other.requests.every(({ authorization }) => authorization === undefined));
  t.notOk(JSON.stringify(other.requests).includes(token));
});

t.test('a redirect to another origin does not carry the token', async (t) => {
  const { script, session } = await signIn(t);
  const other = await startScriptedService(t);
  other.setResponses('GET /thing', fine);
  script.setResponses('GET /thing', { status: 307, headers: { location: `${other.address}/thing` } });
  t.equal((await session.fetch('thing')).status, 200);
  t.same(other.requests, [{ route: 'GET /thing', authorization: undefined, body: '' }]);
});

t.test('only configured additional origins receive the token', async (t) => {
  const other = await startScriptedService(t);
  const third = await startScriptedService(t);
  const { session, token, script } = await signIn(t, 900, { bearerOrigins: [other.address] });
  const granted = grant();
  script.setResponses(refreshing, granted);
  other.setResponses('GET /login', errorResponse(401, 'token_invalid'), fine);
  third.setResponses('GET /thing', fine);
  t.equal((await session.fetch(`${other.address}/login`)).status, 200);
  await session.fetch(`${third.address}/thing`);
  t.same(
    other.requests.map(({ authorization }) => authorization),
    [`Bearer ${token}`, `Bearer ${tokenOf(granted)}`],
  );
  t.equal(third.requests[0]?.authorization, undefined);
});

t.test('relative URLs are relative to the base URL, wherever the page is', async (t) => {
  const script = await startScriptedService(t);
  for (const baseUrl of [`${script.address}/auth`, `${script.address}/auth/`]) {
    const { session } = openTestSession(t, baseUrl);
    script.setResponses('POST /auth/login', grant());
    script.setResponses('POST /auth/refresh', grant());
    script.setResponses('GET /auth/profile', fine);
    script.setResponses('GET /orders', fine);
    await session.login(loginFields);
    t.equal((await session.fetch('profile')).status, 200);
    t.equal((await session.fetch('/orders')).status, 200);
    t.match(script.requests.at(-1)?.authorization, /^Bearer token-/);
  }
});

t.test('before the status is known, a rejection causes a refresh', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses(refreshing, grant());
  script.setResponses('GET /profile', errorResponse(401, 'token_invalid'), fine);
  t.equal((await session.fetch('profile')).status, 200);
  t.equal(session.state.status, 'signed-in');
});

t.test('a request waits for a running resume', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses(refreshing, grant());
  script.setResponses('GET /profile', fine);
  const [isSignedIn, answer] = await Promise.all([session.resume(), session.fetch('profile')]);
  t.equal(isSignedIn, true);
  t.equal(answer.status, 200);
  t.equal(script.count('GET /profile'), 1);
  t.match(script.requests.at(-1)?.authorization, /^Bearer /);
});

t.test('logged out, an error response is only returned', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses(refreshing, errorResponse(401, 'token_invalid'));
  script.setResponses('GET /profile', errorResponse(401, 'token_invalid'));
  await session.resume();
  t.equal((await session.fetch('profile')).status, 401);
  t.equal(script.count(refreshing), 1);
  t.equal(script.count('GET /profile'), 1);
});

t.test('an aborted request does not wait for a slow refresh', async (t) => {
  const { script, session } = await signIn(t);
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  script.setResponses(refreshing, lost);
  const givesUp = new AbortController();
  const answer = session.fetch('thing', { signal: givesUp.signal });
  await script.received(refreshing, 1);
  givesUp.abort(new Error('the user left'));
  await t.rejects(answer, { message: 'the user left' });
  await t.rejects(session.fetch('thing', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  t.equal(session.state.status, 'refreshing', 'the refresh continues');
});

t.test('a request without a response fails like fetch, and is not repeated', async (t) => {
  const { script, session } = await signIn(t);
  script.setResponses('GET /thing', lost);
  await t.rejects(session.fetch('thing'), { name: 'TypeError' });
  t.equal(script.count('GET /thing'), 1);
});
