// Automatic refreshes of a session, and the effects of sleep, a changed clock and a reload.

import t from 'tap';
import { openTestSession } from '../support/session-clock.js';
import { errorResponse, grant, lost, startScriptedService } from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';

t.test('without jitter, a token is refreshed exactly a minute before its expiry', async (t) => {
  const script = await startScriptedService(t);
  const { session, advance } = openTestSession(t, script.address, { chance: 0.99 });
  script.setResponses('POST /login', grant(900));
  script.setResponses(refreshing, grant(900));
  await session.login(loginFields);
  await advance(839.999);
  t.equal(script.count(refreshing), 0);
  await advance(0.001);
  t.equal(script.count(refreshing), 1);
});

for (const { expiresIn, jitterSeconds, chance, dueSeconds } of [
  { expiresIn: 900, jitterSeconds: 0, chance: 0.99, dueSeconds: 840 },
  { expiresIn: 900, jitterSeconds: 10, chance: 0, dueSeconds: 840 },
  { expiresIn: 900, jitterSeconds: 10, chance: 0.5, dueSeconds: 835 },
  { expiresIn: 121, jitterSeconds: 0, chance: 0, dueSeconds: 61 },
  { expiresIn: 120, jitterSeconds: 10, chance: 0.5, dueSeconds: 60 },
  { expiresIn: 2, jitterSeconds: 10, chance: 0.5, dueSeconds: 1 },
  { expiresIn: 2_592_000, jitterSeconds: 0, chance: 0, dueSeconds: 2_591_940 },
]) {
  t.test(
    `a token of ${expiresIn} s is refreshed after ${dueSeconds} s (jitter ${jitterSeconds})`,
    async (t) => {
      const { script, advance, session } = await signIn(t, expiresIn, { jitterSeconds, chance });
      await advance(dueSeconds - 0.001);
      t.equal(script.count(refreshing), 0);
      await advance(0.001);
      t.equal(script.count(refreshing), 1);
      t.equal(session.state.status, 'signed-in');
    },
  );
}

t.test('the next refresh is scheduled from the new expiresIn', async (t) => {
  const { script, advance } = await signIn(t, 900);
  script.setResponses(refreshing, grant(300), grant(100), grant(900));
  await advance(840);
  t.equal(script.count(refreshing), 1);
  await advance(239.999);
  t.equal(script.count(refreshing), 1);
  await advance(0.001);
  t.equal(script.count(refreshing), 2);
  await advance(50);
  t.equal(script.count(refreshing), 3);
});

t.test('the state contains the token expiry, and reports a refresh', async (t) => {
  const { script, advance, session, nowMs } = await signIn(t, 900);
  const seen: unknown[] = [];
  t.same(session.state, { status: 'signed-in', expiresAtMs: nowMs() + 900_000, reason: null });
  t.throws(() => Object.assign(session.state, { status: 'signed-out' }), 'a snapshot');
  const first = session.state;
  const stop = session.subscribe(() => seen.push(session.state.status));
  await advance(839);
  t.equal(session.state, first, 'the same object until a change');
  await advance(1);
  t.same(seen, ['refreshing', 'signed-in']);
  t.equal(session.state.expiresAtMs, nowMs() + 900_000);
  stop();
  await advance(840);
  t.equal(script.count(refreshing), 2);
  t.equal(seen.length, 2, 'a removed listener is not called');
});

for (const event of ['visibilitychange', 'focus', 'pageshow', 'online', 'resume']) {
  t.test(`a machine that slept past the refresh time refreshes at the next ${event}`, async (t) => {
    const { script, sleep, dispatch } = await signIn(t, 900);
    await dispatch(event);
    t.equal(script.count(refreshing), 0, 'not before its time');
    sleep(841);
    await dispatch(event);
    t.equal(script.count(refreshing), 1);
  });
}

t.test('the end of a sleep without an event is noticed within 30 s', async (t) => {
  const { script, sleep, advance, session } = await signIn(t, 900);
  await advance(100);
  sleep(8 * 3600);
  await advance(30);
  t.equal(script.count(refreshing), 1);
  t.equal(session.state.status, 'signed-in');
});

t.test('a request after a sleep waits for the refresh, and carries no expired token', async (t) => {
  const { script, sleep, session } = await signIn(t, 900);
  const next = grant();
  script.setResponses(refreshing, next);
  script.setResponses('GET /profile', { status: 200, body: {} });
  sleep(3600);
  await session.fetch('profile');
  t.same(
    script.requests.slice(1).map(({ route, authorization }) => [route, authorization]),
    [
      [refreshing, undefined],
      ['GET /profile', `Bearer ${tokenOf(next)}`],
    ],
  );
});

t.test('a clock set back does not prolong a token', async (t) => {
  const { script, setClock, advance } = await signIn(t, 900);
  setClock(-3600);
  await advance(839);
  t.equal(script.count(refreshing), 0);
  await advance(1);
  t.equal(script.count(refreshing), 1);
});

t.test('the token lifetime counts from the request, not from the response', async (t) => {
  const script = await startScriptedService(t);
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { session, advance, nowMs } = openTestSession(t, script.address, {
    leavesRequestsOpen: true,
    jitterSeconds: 0,
  });
  script.setResponses('POST /login', { ...grant(900), after });
  const sentAtMs = nowMs();
  const login = session.login(loginFields);
  await script.received('POST /login', 1);
  await advance(12);
  answer();
  await login;
  t.equal(session.state.expiresAtMs, sentAtMs + 900_000);
});

t.test('a starting page is logged in by its cookie, in one request', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses(refreshing, grant());
  t.equal(session.state.status, 'unknown');
  t.same(await Promise.all([session.resume(), session.resume()]), [true, true]);
  t.equal(await session.resume(), true);
  t.equal(session.state.status, 'signed-in');
  t.equal(script.count(refreshing), 1);
});

t.test('a page without a cookie is logged out, and reports no expiry', async (t) => {
  const script = await startScriptedService(t);
  const { session, expired } = openTestSession(t, script.address);
  script.setResponses(refreshing, errorResponse(401, 'token_invalid'));
  t.equal(await session.resume(), false);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: null });
  t.same(expired, []);
});

t.test('a page with an ended session reports the reason', async (t) => {
  const script = await startScriptedService(t);
  const { session, expired } = openTestSession(t, script.address);
  script.setResponses(refreshing, errorResponse(401, 'session_revoked'));
  t.equal(await session.resume(), false);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: 'session_revoked' });
  t.same(expired, [], 'this page held no session');
});

for (const { answer, reason } of [
  { answer: lost, reason: 'network' },
  { answer: errorResponse(429, 'rate_limited', '7'), reason: 'rate_limited' },
  { answer: errorResponse(503, 'store_unavailable', '7'), reason: 'store_unavailable' },
]) {
  t.test(`a page that starts during ${reason} does not report a logout`, async (t) => {
    const script = await startScriptedService(t);
    const { session, dispatch, advance, expired, losses } = openTestSession(t, script.address);
    script.setResponses(refreshing, answer, grant());
    await t.rejects(session.resume(), { name: 'SessionError', reason, status: answer.status });
    t.same(session.state, { status: 'unknown', expiresAtMs: null, reason });
    await advance(0.9);
    await dispatch('focus');
    t.equal(script.count(refreshing), 1);
    await advance(5.1);
    if (answer !== lost) t.equal(script.count(refreshing), 1, 'nothing before Retry-After is over');
    await advance(1);
    t.equal(session.state.status, 'signed-in', 'it retries automatically');
    t.equal(script.count(refreshing), 2);
    t.same([expired, losses], [[], []], 'this page held no session');
  });
}
