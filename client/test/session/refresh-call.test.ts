// A refresh call: what is retried and when, what ends it, and what the page is told then.
import t from 'tap';
import { grant, lost, refuse, type ScriptedAnswer } from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';

const due = 840;

for (const { what, answer } of [
  { what: 'a lost answer', answer: lost },
  { what: '429', answer: refuse(429, 'rate_limited') },
  { what: '503', answer: refuse(503, 'store_unavailable') },
  { what: '503 with a Retry-After of nothing', answer: refuse(503, 'store_unavailable', '0') },
  { what: '503 with a Retry-After that is no time', answer: refuse(503, 'store_unavailable', 'soon') },
  { what: 'half an answer', answer: { ...grant(), breaksOff: true } },
]) {
  t.test(`${what} is repeated after 1, 2, 4 … 30 s until the token ends`, async (t) => {
    const { script, advance, session, expired } = await signIn(t, 900);
    script.setAnswers(refreshing, answer);
    await advance(due);
    const seconds: number[] = [];
    for (let second = 1; second <= 59; second++) {
      const before = script.count(refreshing);
      await advance(1);
      if (script.count(refreshing) > before) seconds.push(second);
    }
    t.same(seconds, [1, 3, 7, 15, 31]);
    t.equal(session.state.status, 'refreshing', 'still signed in');
    t.same(expired, []);
    await advance(1);
    t.equal(script.count(refreshing), 6);
    t.equal(session.state.status, 'signed-out');
    t.equal(expired.length, 1);
    await advance(3600);
    t.equal(script.count(refreshing), 6, 'nothing is asked any more');
  });
}

t.test('no pause is longer than 30 s', async (t) => {
  const { script, advance, session } = await signIn(t, 900);
  script.setAnswers('GET /thing', refuse(401, 'token_invalid'));
  script.setAnswers(refreshing, lost);
  await session.fetch('thing');
  await advance(31);
  t.equal(script.count(refreshing), 6);
  for (let repeats = 7; repeats < 15; repeats++) {
    await advance(29.9);
    t.equal(script.count(refreshing), repeats - 1);
    await advance(0.1);
    t.equal(script.count(refreshing), repeats);
  }
  const granted = grant();
  script.setAnswers(refreshing, granted);
  script.setAnswers('GET /thing', { status: 200, body: {} });
  await advance(30);
  t.equal((await session.fetch('thing')).status, 200);
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
});

t.test('Retry-After is waited for, in seconds and as a date', async (t) => {
  const { script, advance, nowMs, session } = await signIn(t, 900);
  const date = new Date(nowMs() + (due + 5 + 12) * 1000).toUTCString();
  script.setAnswers(
    refreshing,
    refuse(429, 'rate_limited', '5'),
    refuse(503, 'store_unavailable', date),
    grant(),
  );
  await advance(due + 4.9);
  t.equal(script.count(refreshing), 1);
  await advance(0.1);
  t.equal(script.count(refreshing), 2);
  await advance(11.9);
  t.equal(script.count(refreshing), 2);
  await advance(0.1);
  t.equal(script.count(refreshing), 3);
  t.equal(session.state.status, 'signed-in');
});

t.test('a Retry-After beyond the end of the token ends the call when the token ends', async (t) => {
  const { script, advance, session, expired } = await signIn(t, 900);
  script.setAnswers(refreshing, refuse(429, 'rate_limited', '3600'));
  await advance(899.9);
  t.equal(session.state.status, 'refreshing');
  await advance(0.1);
  t.same(expired, ['rate_limited']);
  t.equal(script.count(refreshing), 1);
});

t.test(
  'the network coming back ends the pause after a lost answer, not one that the server asked for',
  async (t) => {
    const { script, advance, dispatch, session } = await signIn(t, 900);
    script.setAnswers(refreshing, lost, lost, refuse(503, 'store_unavailable', '20'), grant());
    await advance(due + 1);
    t.equal(script.count(refreshing), 2);
    await dispatch('online');
    t.equal(script.count(refreshing), 3);
    await dispatch('online');
    await dispatch('focus');
    t.equal(script.count(refreshing), 3);
    await advance(20);
    t.equal(session.state.status, 'signed-in');
  },
);

for (const { answer, reason } of [
  { answer: refuse(401, 'token_invalid'), reason: 'token_invalid' },
  { answer: refuse(401, 'session_expired'), reason: 'session_expired' },
  { answer: refuse(401, 'session_revoked'), reason: 'session_revoked' },
  { answer: refuse(401, 'cookie_conflict'), reason: 'cookie_conflict' },
  { answer: refuse(401), reason: 'http_401' },
  { answer: refuse(403, 'origin_refused'), reason: 'origin_refused' },
  { answer: refuse(404, 'not_found'), reason: 'not_found' },
  { answer: refuse(500, 'internal_error'), reason: 'internal_error' },
  { answer: refuse(502), reason: 'http_502' },
  { answer: { status: 200, body: '<p>Welcome to our Wi-Fi</p>' }, reason: 'invalid_answer' },
  { answer: { status: 200, body: { accessToken: 'x' } }, reason: 'invalid_answer' },
  { answer: { status: 200, body: { accessToken: 7, expiresIn: 900 } }, reason: 'invalid_answer' },
  { answer: { status: 200, body: { accessToken: 'x', expiresIn: -1 } }, reason: 'invalid_answer' },
] satisfies { answer: ScriptedAnswer; reason: string }[]) {
  t.test(`${answer.status} ends the session at once: ${reason}`, async (t) => {
    const { script, advance, session, expired, dispatch } = await signIn(t, 900);
    script.setAnswers(refreshing, answer);
    script.setAnswers('GET /thing', { status: 200, body: {} });
    await advance(due);
    t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason });
    t.same(expired, [reason]);
    await session.fetch('thing');
    t.equal(script.requests.at(-1)?.authorization, undefined, 'the token is dropped');
    await advance(3600);
    await dispatch('online');
    t.equal(script.count(refreshing), 1, 'once');
  });
}

for (const { answer, reason } of [
  { answer: lost, reason: 'network' },
  { answer: refuse(429, 'rate_limited'), reason: 'rate_limited' },
  { answer: refuse(503, 'store_unavailable'), reason: 'store_unavailable' },
]) {
  t.test(
    `a machine that wakes up after the token's end during ${reason} has expired, and recovers`,
    async (t) => {
      const { script, sleep, dispatch, session, expired } = await signIn(t, 900);
      script.setAnswers(refreshing, answer);
      sleep(8 * 3600);
      await dispatch('visibilitychange');
      t.equal(script.count(refreshing), 1);
      t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason });
      t.same(expired, [reason]);
      script.setAnswers(refreshing, grant());
      await dispatch('online');
      t.equal(session.state.status, 'signed-in', 'the cookie was good all the time');
      t.same(expired, [reason]);
    },
  );
}

t.test('an attempt that is not answered within 8 s has failed', async (t) => {
  const { script, advance, session } = await signIn(t, 900, { leavesRequestsOpen: true });
  const never = new Promise<void>((resolve) => t.teardown(resolve));
  script.setAnswers(refreshing, { ...grant(), after: never }, grant());
  await advance(due);
  await script.received(refreshing, 1);
  await advance(7.9);
  t.equal(session.state.status, 'refreshing');
  await advance(0.1);
  await advance(1);
  await script.received(refreshing, 2);
  await new Promise<void>((resolve) => {
    if (session.state.status === 'signed-in') resolve();
    session.subscribe(resolve);
  });
  t.equal(session.state.status, 'signed-in');
});

t.test('an answer that comes after a log-in or a log-out changes nothing', async (t) => {
  for (const isLogin of [true, false]) {
    const { script, advance, session, expired, settled } = await signIn(t, 900, { leavesRequestsOpen: true });
    let answer = () => {};
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    script.setAnswers(refreshing, { ...(isLogin ? refuse(401, 'session_revoked') : grant()), after });
    script.setAnswers('POST /logout', { status: 204 });
    await advance(due);
    await script.received(refreshing, 1);
    if (isLogin) await session.login(loginFields);
    else await session.logout();
    const { state } = session;
    answer();
    await settled();
    t.equal(session.state, state);
    t.equal(session.state.status, isLogin ? 'signed-in' : 'signed-out');
    t.same(expired, []);
  }
});

t.test('a listener that throws stops no other listener', async (t) => {
  const { session, advance, script, expired } = await signIn(t, 900);
  const thrown: unknown[] = [];
  const [failing] = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.once('uncaughtException', (error) => thrown.push(error));
  session.onExpired(() => {
    throw new Error('a mistake of the page');
  });
  let reported = '';
  session.onExpired((reason) => {
    reported = reason;
  });
  script.setAnswers(refreshing, refuse(401, 'session_expired'));
  await advance(due);
  if (failing) process.on('uncaughtException', failing);
  t.equal(reported, 'session_expired');
  t.same(expired, ['session_expired']);
  t.match(thrown, [{ message: 'a mistake of the page' }], 'and is not kept secret');
});

t.test('a closed session asks nothing and forgets its token', async (t) => {
  const { session, advance, script, dispatch } = await signIn(t, 900);
  script.setAnswers('GET /thing', refuse(401, 'token_invalid'));
  session.close();
  await advance(3600);
  await dispatch('pageshow', { persisted: true });
  t.equal(await session.resume(), false);
  t.equal((await session.fetch('thing')).status, 401);
  t.same(
    script.requests.slice(1).map(({ route, authorization }) => [route, authorization]),
    [['GET /thing', undefined]],
  );
  t.equal(session.state.status, 'unknown');
});
