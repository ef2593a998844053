// Invariants of a session for any responses and events.

import fc from 'fast-check';
import t from 'tap';
import { refreshAfterMs } from '../../src/session/refresh-schedule.js';
import { openTestSession, type TestSession } from '../support/session-clock.js';
import {
  errorResponse,
  grant,
  lost,
  type ResponseOrFactory,
  type ScriptedService,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing } from '../support/session-sign-in.js';

const lifetimes = fc.constantFrom(60, 120, 121, 130, 900, 3600);
const grants = lifetimes.map((expiresIn) => () => grant(expiresIn));
const refusals = fc.constantFrom<ResponseOrFactory>(
  lost,
  errorResponse(401, 'session_revoked'),
  errorResponse(401, 'token_invalid'),
  errorResponse(403, 'origin_refused'),
  errorResponse(429, 'rate_limited', '5'),
  errorResponse(429, 'rate_limited', '600'),
  errorResponse(500),
  errorResponse(503, 'store_unavailable'),
  errorResponse(503, 'store_unavailable', '3'),
  { status: 200, body: '<p>Welcome to our Wi-Fi</p>' },
  { ...grant(), breaksOff: true },
);
const kinds = {
  pass: fc.record({ seconds: fc.integer({ min: 0, max: 1000 }) }),
  sleep: fc.record({ seconds: fc.integer({ min: 0, max: 4000 }) }),
  happen: fc.record({ event: fc.constantFrom('focus', 'online', 'pageshow', 'pagehide') }),
  login: fc.record({ answer: fc.oneof(grants, refusals) }),
  logout: fc.record({
    answer: fc.constantFrom<ResponseOrFactory>({ status: 204 }, errorResponse(401), errorResponse(503)),
  }),
  fetch: fc.record({ status: fc.constantFrom(200, 401, 403) }),
  resume: fc.record({}),
  refreshes: fc.record({ answer: fc.oneof({ weight: 2, arbitrary: grants }, refusals) }),
};
type Kinds = {
  [Kind in keyof typeof kinds]: (typeof kinds)[Kind] extends fc.Arbitrary<infer Act> ? Act : never;
};
type Act = { [Kind in keyof Kinds]: { kind: Kind } & Kinds[Kind] }[keyof Kinds];
const acts = fc.oneof(
  ...Object.entries(kinds).map(([kind, rest]) =>
    (rest as fc.Arbitrary<object>).map((act) => ({ kind, ...act }) as Act),
  ),
);

/** Calls that are not awaited, because they may outlast the step. */
async function perform(
  act: Act,
  { session, advance, sleep, dispatch, settled }: TestSession,
  script: ScriptedService,
) {
  const ignore = () => {};
  if (act.kind === 'pass') await advance(act.seconds);
  if (act.kind === 'sleep') sleep(act.seconds);
  if (act.kind === 'happen') await dispatch(act.event);
  if (act.kind === 'refreshes') script.setResponses(refreshing, act.answer);
  if (act.kind === 'resume') session.resume().catch(ignore);
  if (act.kind === 'login') {
    script.setResponses('POST /login', act.answer);
    session.login(loginFields).catch(ignore);
  }
  if (act.kind === 'logout') {
    script.setResponses('POST /logout', act.answer);
    session.logout().catch(ignore);
  }
  if (act.kind === 'fetch') {
    script.setResponses('GET /thing', { status: act.status });
    session.fetch('thing').catch(ignore);
  }
  await settled();
}

const lifeSecondsOf = (token: string) => Number(token.split('-').at(-1));
const latestRefreshSeconds = (life: number) => (life <= 120 ? life / 2 : life - 60);

/** Runs the steps. @throws if the session violates an invariant */
async function live(script: ScriptedService, first: ResponseOrFactory, chance: number, all: readonly Act[]) {
  const steered = openTestSession({ teardown: () => {} }, script.address, { chance });
  const { session, nowMs } = steered;
  const birthsMs = new Map<string, number>();
  const dropped = new Set<string>();
  let isPending = false;
  let wasPending = false;
  const current = () => [...birthsMs.keys()].at(-1) ?? '';
  const note = () => {
    const { status, expiresAtMs } = session.state;
    const token = script.issuedTokens.at(-1) ?? '';
    if (expiresAtMs === null) for (const old of birthsMs.keys()) dropped.add(old);
    else if (status === 'signed-in' && !birthsMs.has(token)) {
      birthsMs.set(token, expiresAtMs - lifeSecondsOf(token) * 1000);
    }
  };
  session.subscribe(note);
  const ageSeconds = (token: string) => (nowMs() - (birthsMs.get(token) ?? 0)) / 1000;
  const start: Act[] = [{ kind: 'login', answer: first }];
  for (const act of [...start, ...all]) {
    const gone = new Set(dropped);
    const seen = script.requests.length;
    await perform(act, steered, script);
    note();
    for (const { route, authorization } of script.requests.slice(seen)) {
      const token = authorization?.replace('Bearer ', '');
      if (token === undefined) continue;
      if (gone.has(token)) throw new Error(`${route} had a dropped token`);
      if (act.kind === 'fetch' && ageSeconds(token) >= lifeSecondsOf(token))
        throw new Error('the token had expired');
    }
    const looked =
      act.kind === 'happen' ? act.event !== 'pagehide' : act.kind === 'pass' && act.seconds >= 30;
    const isLate = ageSeconds(current()) > latestRefreshSeconds(lifeSecondsOf(current()));
    if (looked && session.state.status === 'signed-in' && isLate) throw new Error('no refresh was made');
    if (session.state.expiresAtMs !== null && dropped.has(current()))
      throw new Error('a dropped token returned');
    const { status, reason } = session.state;
    const isDefinitive = /^(token_invalid|session_revoked|logged_out|logout_pending)$/.test(
      reason ?? 'logged_out',
    );
    if (status === 'signed-out' && !isDefinitive) {
      throw new Error(`logged out for ${reason}`);
    }
    if (reason === 'logout_pending') isPending = true;
    if (status === 'signed-in' || reason === 'logged_out') isPending = false;
    const refreshes = script.requests.slice(seen).filter(({ route }) => route === refreshing).length;
    if (isPending && wasPending && refreshes > 0) throw new Error('refreshed before the logout');
    wasPending = isPending;
  }
  session.close();
  await steered.settled();
}

const title = 'one refresh at a time, no dropped or expired token, no late refresh, no logout without reason';
t.test(title, async (t) => {
  const script = await startScriptedService(t);
  let ends = 0;
  script.setResponses('DELETE /refresh', () => {
    ends += 1;
    return ends % 3 === 0 ? lost : { status: 204 };
  });
  const lives = fc.asyncProperty(
    grants,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.array(acts, { maxLength: 25 }),
    (first, chance, all) => live(script, first, chance, all),
  );
  await fc.assert(lives, { numRuns: 100 });
  t.equal(script.maxConcurrentRefreshes, 1);
  t.ok(script.count(refreshing) > 100, 'and there were some');
});

t.test('a refresh is never late, and never earlier than the jitter', async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_592_000 }),
      fc.integer({ min: 0, max: 3600 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (expiresIn, jitterSeconds, chance) => {
        const seconds = refreshAfterMs(expiresIn, jitterSeconds, chance) / 1000;
        const latest = latestRefreshSeconds(expiresIn);
        return (
          seconds >= 0 &&
          seconds <= latest &&
          (expiresIn <= 120 ? seconds === latest : seconds >= latest - jitterSeconds)
        );
      },
    ),
  );
  t.equal(refreshAfterMs(900, 0, 0.5), 840_000);
});
