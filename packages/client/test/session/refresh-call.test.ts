// Failed refreshes: meaning of each response, retries, end of the session, and reported state.

import { readFileSync } from 'node:fs';
import t from 'tap';
import { meaningOf } from '../../src/session/response-meaning.js';
import { errorResponse, grant, lost, type ScriptedResponse } from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';

const due = 840;

const page = readFileSync(new URL('../../../../../docs/client/session.md', import.meta.url), 'utf8');
const [, table = ''] = /^\| Response \| Meaning \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];

/** Meaning of each literal: `401 CODE`, a status, a class such as `5xx`, or `network`. */
const documented = new Map(
  table
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [, answers = '', meaning = ''] = row.split('|').map((cell) => cell.trim());
      return [...answers.matchAll(/`([^`]+)`/g)].map(([, literal = '']) => [literal, meaning] as const);
    }),
);

/** Returns the meaning of the most specific entry. */
function documentedMeaning(status: number, code: string): string | undefined {
  if (status === 0) return documented.get('network');
  const names = [`${status} ${code}`, String(status), `${Math.floor(status / 100)}xx`];
  return names.map((name) => documented.get(name)).find((meaning) => meaning !== undefined);
}

t.test('every status and code has the documented meaning', async (t) => {
  const documentedCodes = [...documented.keys()].flatMap((name) => name.split(' ')[1] ?? []);
  t.equal(documentedCodes.length, 5);
  const codes = [
    ...documentedCodes,
    ...['network', 'invalid_answer', 'rate_limited', 'store_unavailable', 'insufficient_user_authentication'],
  ];
  for (const status of [0, ...Array.from({ length: 400 }, (_, at) => at + 200)]) {
    for (const code of [...codes, `http_${status}`]) {
      const expected = documentedMeaning(status, code);
      if (meaningOf(status, code) !== expected)
        t.equal(meaningOf(status, code), expected, `${status} ${code}`);
    }
  }
});

for (const { what, answer } of [
  { what: 'a lost response', answer: lost },
  { what: '429', answer: errorResponse(429, 'rate_limited') },
  { what: '503', answer: errorResponse(503, 'store_unavailable') },
  { what: '503 with a Retry-After of 0', answer: errorResponse(503, 'store_unavailable', '0') },
  { what: '503 with an invalid Retry-After', answer: errorResponse(503, 'store_unavailable', 'soon') },
  { what: 'half a response', answer: { ...grant(), breaksOff: true } },
]) {
  t.test(`${what} is retried after 1, 2, 4 … 30 s, also past the token expiry`, async (t) => {
    const { script, advance, session, expired, losses } = await signIn(t, 900);
    script.setResponses(refreshing, answer);
    await advance(due);
    const seconds: number[] = [];
    for (let second = 1; second <= 59; second++) {
      const before = script.count(refreshing);
      await advance(1);
      if (script.count(refreshing) > before) seconds.push(second);
    }
    t.same(seconds, [1, 3, 7, 15, 31]);
    t.equal(session.state.status, 'refreshing', 'still logged in');
    t.same(losses, []);
    await advance(1);
    t.equal(script.count(refreshing), 6);
    t.match(session.state, { status: 'unknown', expiresAtMs: null, reason: String });
    t.equal(losses.length, 1);
    await advance(1 + 30 * 119);
    t.equal(script.count(refreshing), 6 + 120);
    script.setResponses(refreshing, grant());
    await advance(30);
    t.equal(session.state.status, 'signed-in', 'an hour later');
    t.same([losses.length, expired], [1, []], 'it is reported once, and the session has not ended');
  });
}

t.test('no pause is longer than 30 s', async (t) => {
  const { script, advance, session } = await signIn(t, 900);
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  script.setResponses(refreshing, lost);
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
  script.setResponses(refreshing, granted);
  script.setResponses('GET /thing', { status: 200, body: {} });
  await advance(30);
  t.equal((await session.fetch('thing')).status, 200);
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
});

t.test('the retry follows Retry-After, in seconds and as a date of the server’s clock', async (t) => {
  const { script, advance, session } = await signIn(t, 900);
  // A clock unrelated to the page's.
  const headers = {
    date: 'Thu, 01 Jan 2015 00:00:00 GMT',
    'retry-after': 'Thu, 01 Jan 2015 00:00:12 GMT',
  };
  script.setResponses(
    refreshing,
    errorResponse(429, 'rate_limited', '5'),
    { ...errorResponse(503, 'store_unavailable'), headers },
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

t.test('a Retry-After past the token expiry applies without a token', async (t) => {
  const { script, advance, session, expired, losses, dispatch } = await signIn(t, 900);
  script.setResponses(refreshing, errorResponse(429, 'rate_limited', '3600'), grant());
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  await advance(899.9);
  t.equal(session.state.status, 'refreshing');
  await advance(0.1);
  t.same(session.state, { status: 'unknown', expiresAtMs: null, reason: 'rate_limited' });
  t.same([losses, expired], [['rate_limited'], []]);
  for (const event of ['focus', 'online', 'pageshow']) await dispatch(event);
  t.equal((await session.fetch('thing')).status, 401);
  await advance(3539.9);
  t.equal(script.count(refreshing), 1, 'neither events nor requests shorten it');
  await advance(0.1);
  t.equal(session.state.status, 'signed-in');
});

for (const retryAfter of ['86400', 'Infinity', 'Fri, 01 Jan 2100 00:00:00 GMT']) {
  t.test(`a gateway with too long a Retry-After (${retryAfter}) gets a retry after an hour`, async (t) => {
    const { script, advance, session } = await signIn(t, 900);
    script.setResponses(refreshing, errorResponse(503, 'maintenance', retryAfter), grant());
    await advance(due + 3599.9);
    t.equal(script.count(refreshing), 1);
    t.equal(session.state.status, 'unknown');
    await advance(0.1);
    t.equal(session.state.status, 'signed-in');
  });
}

t.test('the return of the network ends the delay after a lost response, but not Retry-After', async (t) => {
  const { script, advance, dispatch, session } = await signIn(t, 900);
  script.setResponses(refreshing, lost, lost, errorResponse(503, 'store_unavailable', '20'), grant());
  await advance(due + 1);
  t.equal(script.count(refreshing), 2);
  await dispatch('online');
  t.equal(script.count(refreshing), 3);
  await dispatch('online');
  await dispatch('focus');
  t.equal(script.count(refreshing), 3);
  await advance(20);
  t.equal(session.state.status, 'signed-in');
});

for (const reason of [
  'token_invalid',
  'session_expired',
  'session_revoked',
  'cookie_conflict',
  'binding_required',
]) {
  t.test(`401 ${reason} ends the session at once`, async (t) => {
    const { script, advance, session, expired, losses, dispatch } = await signIn(t, 900);
    script.setResponses(refreshing, errorResponse(401, reason));
    script.setResponses('GET /thing', { status: 200, body: {} });
    await advance(due);
    t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason });
    t.same([expired, losses], [[reason], []]);
    await session.fetch('thing');
    t.equal(script.requests.at(-1)?.authorization, undefined, 'the token is dropped');
    const asked = script.count(refreshing);
    t.equal(asked, reason === 'cookie_conflict' ? 2 : 1);
    await advance(3600);
    await dispatch('online');
    t.equal(script.count(refreshing), asked, 'there are no more requests');
  });
}

t.test('a planted cookie costs one repetition, but not the session', async (t) => {
  const { script, advance, session, expired } = await signIn(t, 900);
  script.setResponses(refreshing, errorResponse(401, 'cookie_conflict'), grant());
  await advance(due);
  t.equal(session.state.status, 'signed-in');
  t.equal(script.count(refreshing), 2);
  t.same(expired, []);
});

const portal = '<p>Welcome to our Wi-Fi</p>';

for (const { answer, reason } of [
  { answer: errorResponse(401), reason: 'http_401' },
  { answer: errorResponse(401, 'unauthorized'), reason: 'unauthorized' },
  { answer: errorResponse(403, 'origin_refused'), reason: 'origin_refused' },
  { answer: errorResponse(403), reason: 'http_403' },
  { answer: errorResponse(403, 'session_revoked'), reason: 'session_revoked' },
  { answer: errorResponse(404, 'not_found'), reason: 'not_found' },
  { answer: errorResponse(415), reason: 'http_415' },
  { answer: errorResponse(500, 'internal_error'), reason: 'internal_error' },
  { answer: errorResponse(502), reason: 'http_502' },
  { answer: errorResponse(504), reason: 'http_504' },
  { answer: errorResponse(520), reason: 'http_520' },
  { answer: { status: 511, body: portal }, reason: 'http_511' },
  { answer: { status: 200, body: portal }, reason: 'invalid_answer' },
  { answer: { status: 302, headers: { location: 'http://wifi.invalid/' } }, reason: 'network' },
  { answer: { status: 200, body: '{"accessToken":"x","expi' }, reason: 'invalid_answer' },
  { answer: { status: 200, body: { accessToken: 'x' } }, reason: 'invalid_answer' },
  { answer: { status: 200, body: { accessToken: 7, expiresIn: 900 } }, reason: 'invalid_answer' },
  { answer: { status: 200, body: { accessToken: 'x', expiresIn: -1 } }, reason: 'invalid_answer' },
] satisfies { answer: ScriptedResponse; reason: string }[]) {
  t.test(`${answer.status} ${reason} at a refresh logs nobody out`, async (t) => {
    const { script, advance, session, expired, losses, token } = await signIn(t, 900);
    script.setResponses(refreshing, answer);
    script.setResponses('GET /thing', { status: 200, body: {} });
    await advance(899.9);
    t.equal(session.state.status, 'refreshing');
    await session.fetch('thing');
    t.equal(script.requests.at(-1)?.authorization, `Bearer ${token}`, 'the token is used until it expires');
    await advance(0.1);
    t.same(session.state, { status: 'unknown', expiresAtMs: null, reason });
    t.same([losses, expired], [[reason], []]);
    script.setResponses(refreshing, errorResponse(401, 'session_revoked'));
    await advance(30);
    t.match(session.state, { status: 'signed-out', reason: 'session_revoked' });
    t.same([losses, expired], [[reason], ['session_revoked']], 'the service’s reason is reported too');
  });
}

t.test('after responses of another server the retry delay grows to 5 minutes', async (t) => {
  const { script, advance, session } = await signIn(t, 900);
  script.setResponses(refreshing, { status: 200, body: portal });
  await advance(due);
  const pauses = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
  for (const [at, pause] of pauses.entries()) {
    await advance(pause - 0.001);
    t.equal(script.count(refreshing), at + 1);
    await advance(0.001);
    t.equal(script.count(refreshing), at + 2);
  }
  t.equal(session.state.status, 'unknown');
});

t.test('an hour of sleep and three seconds without network log nobody out', async (t) => {
  const { script, sleep, advance, session, expired, losses } = await signIn(t, 900);
  script.setResponses(refreshing, lost);
  await advance(10);
  sleep(3600);
  // No event reports the end of the sleep, or the network.
  await advance(20);
  t.same(session.state, { status: 'unknown', expiresAtMs: null, reason: 'network' });
  await advance(3);
  script.setResponses(refreshing, grant());
  await advance(4);
  t.equal(session.state.status, 'signed-in');
  t.same([losses, expired], [['network'], []]);
});

for (const { answer, reason } of [
  { answer: lost, reason: 'network' },
  { answer: errorResponse(429, 'rate_limited'), reason: 'rate_limited' },
  { answer: errorResponse(503, 'store_unavailable'), reason: 'store_unavailable' },
  { answer: errorResponse(502), reason: 'http_502' },
]) {
  for (const event of ['online', 'focus', 'pageshow', 'visibilitychange']) {
    t.test(`a machine that woke up during ${reason} retries at once on ${event}`, async (t) => {
      const { script, sleep, advance, dispatch, session, expired, losses } = await signIn(t, 900);
      script.setResponses(refreshing, answer);
      sleep(8 * 3600);
      await dispatch('visibilitychange');
      t.equal(script.count(refreshing), 1);
      t.same(session.state, { status: 'unknown', expiresAtMs: null, reason });
      t.same(losses, [reason]);
      await advance(130);
      script.setResponses(refreshing, grant());
      await advance(3);
      await dispatch(event);
      t.equal(session.state.status, 'signed-in', 'the cookie was valid all the time');
      t.same([losses, expired], [[reason], []]);
    });
  }
}

t.test('a request causes a retry at once, and carries the new token', async (t) => {
  const { script, sleep, advance, session } = await signIn(t, 900);
  const granted = grant();
  script.setResponses(refreshing, lost);
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  sleep(3600);
  t.equal((await session.fetch('thing')).status, 401);
  t.equal(script.count(refreshing), 1);
  for (let times = 0; times < 5; times++) t.equal((await session.fetch('thing')).status, 401);
  t.equal(script.count(refreshing), 1, 'but not within a second');
  await advance(100);
  script.setResponses(refreshing, granted);
  script.setResponses('GET /thing', { status: 200, body: {} });
  await advance(5);
  t.equal(session.state.status, 'unknown');
  t.equal((await session.fetch('thing')).status, 200);
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
  t.equal(script.count('GET /thing'), 7, 'and is sent once');
});

t.test('a hidden page does not retry until it is visible', async (t) => {
  let isVisible = true;
  const { script, sleep, advance, dispatch, session, losses } = await signIn(t, 900, {
    isVisible: () => isVisible,
  });
  isVisible = false;
  await advance(due);
  t.equal(session.state.status, 'signed-in', 'its token is kept fresh');
  script.setResponses(refreshing, lost);
  sleep(3600);
  await advance(3600);
  t.equal(script.count(refreshing), 2);
  t.same(losses, ['network']);
  script.setResponses(refreshing, grant());
  isVisible = true;
  await dispatch('visibilitychange');
  t.equal(session.state.status, 'signed-in');
});

t.test('a clock set back does not prolong the delay', async (t) => {
  const { script, sleep, advance, dispatch, setClock, session } = await signIn(t, 900);
  script.setResponses(refreshing, errorResponse(503, 'store_unavailable', '10'), grant());
  sleep(3600);
  await dispatch('focus');
  setClock(-86_400);
  await advance(10);
  t.equal(session.state.status, 'signed-in');
});

t.test('an attempt without a response within 8 s fails', async (t) => {
  const { script, advance, session } = await signIn(t, 900, { leavesRequestsOpen: true });
  const never = new Promise<void>((resolve) => t.teardown(resolve));
  script.setResponses(refreshing, { ...grant(), after: never }, grant());
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

t.test('a late response after a login or logout changes nothing', async (t) => {
  for (const isLogin of [true, false]) {
    const { script, advance, session, expired, settled } = await signIn(t, 900, { leavesRequestsOpen: true });
    let answer = () => {};
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    script.setResponses(refreshing, {
      ...(isLogin ? errorResponse(401, 'session_revoked') : grant()),
      after,
    });
    script.setResponses('POST /logout', { status: 204 });
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
  script.setResponses(refreshing, errorResponse(401, 'session_expired'));
  await advance(due);
  if (failing) process.on('uncaughtException', failing);
  t.equal(reported, 'session_expired');
  t.same(expired, ['session_expired']);
  t.match(thrown, [{ message: 'a mistake of the page' }], 'and the error is reported');
});

t.test('a closed session sends no requests and forgets its token', async (t) => {
  const { session, advance, script, dispatch } = await signIn(t, 900);
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
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
