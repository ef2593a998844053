// Checks login, refresh and logout; ends its session.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, describe, textOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem } from '../report.js';
import { refreshCookieOf } from './cookie.js';
import { type Account, diagnoseLogin, logIn, type WorkFields } from './login.js';

/** Responses of a session's steps, in order; undefined for a step that was not reached. */
export interface SessionFacts {
  /** The last `POST /login`, after repeats with better work. */
  readonly login: Answer;
  /** `GET /profile` with the access token. */
  readonly profile?: Answer | undefined;
  /** The same request again, many times, so that each process receives it. */
  readonly repeats?: readonly Answer[] | undefined;
  /** `GET /sessions`. */
  readonly sessions?: Answer | undefined;
  /** `POST /refresh` with the cookie. */
  readonly refresh?: Answer | undefined;
  /** `GET /profile` with the access token of the refresh. */
  readonly refreshed?: Answer | undefined;
  /** `POST /logout`. */
  readonly logout?: Answer | undefined;
  /** `GET /profile` with the same token after the logout. */
  readonly after?: Answer | undefined;
  /** `DELETE /refresh` with the cookie. */
  readonly end?: Answer | undefined;
  /** Whether a session was started and could not be ended. */
  readonly isLeft: boolean;
}

const PASS_TOKENS =
  'Let the gateway pass Authorization and Cookie on unchanged, percent signs included, up to 8 KiB.';

/** With round robin, each of up to three processes gets four requests. */
const REPEATS = 11;

/** A process that rejects the token may be followed by one that accepts it. */
const LOGOUT_ATTEMPTS = 4;

/** A logout reaches every node within a second; these attempts take longer. */
const REFUSAL_ATTEMPTS = 8;
const REFUSAL_INTERVAL_MS = 200;

/** Takes every step of a session. It tries to end the session even after a failed step. */
export async function probeSession(
  client: PublicClient,
  account: Account,
  fields: WorkFields,
): Promise<SessionFacts> {
  const login = await logIn(client, account, fields);
  if (login.status !== 200) return { login, isLeft: false };
  const steps: { -readonly [Step in keyof SessionFacts]?: SessionFacts[Step] } = {};
  let bearer = textOf(login, 'accessToken');
  let cookie = cookieOf(login);
  try {
    steps.profile = await withBearer(client, 'GET', '/profile', bearer);
    steps.repeats = await repeatProfile(client, bearer);
    steps.sessions = await withBearer(client, 'GET', '/sessions', bearer);
    steps.refresh = await withCookie(client, 'POST', cookie);
    if (steps.refresh.status === 200) {
      bearer = textOf(steps.refresh, 'accessToken');
      cookie = cookieOf(steps.refresh) || cookie;
      steps.refreshed = await withBearer(client, 'GET', '/profile', bearer);
    }
  } finally {
    for (let attempt = 0; attempt < LOGOUT_ATTEMPTS; attempt++) {
      steps.logout = await withBearer(client, 'POST', '/logout', bearer);
      if (steps.logout.status !== 401) break;
    }
    if (steps.logout?.status === 204) steps.after = await getUntilRefused(client, bearer);
    steps.end = await withCookie(client, 'DELETE', cookie);
  }
  // DELETE /refresh also returns 204 without a cookie.
  const isCookieRead = steps.refresh?.status === 200;
  const isEnded = steps.logout?.status === 204 || (steps.end.status === 204 && isCookieRead);
  return { ...steps, login, isLeft: !isEnded };
}

/** Names the steps that failed. */
export function diagnoseSession(facts: SessionFacts): Finding[] {
  if (facts.login.status !== 200) return [diagnoseLogin(facts.login)];
  const found = diagnoseSteps(facts);
  if (facts.isLeft) {
    found.push(
      problem(
        'session_left',
        "The doctor's session could not be ended.",
        "End it in the account's session list; unused, it expires after REFRESH_TTL.",
      ),
    );
  }
  // The cookie check reports a missing one, which also makes the refresh fail.
  if (found.length > 0 || refreshCookieOf(facts.login) === undefined) return found;
  return [good('session', 'Login, refresh and logout work, and a logout takes effect at once.')];
}

function diagnoseSteps(facts: SessionFacts): Finding[] {
  const { login, profile, repeats = [], refresh, refreshed, logout, after, end } = facts;
  const found: Finding[] = [];
  const asked = profile === undefined ? [] : [profile, ...repeats];
  const refused = asked.filter(({ status }) => status === 401);
  const [first] = refused;
  const isVarying = first !== undefined && asked.some(({ status }) => status === 200);
  if (isVarying) {
    // A rejected refresh then has the same cause.
    found.push(
      problem(
        'token_varies',
        `${refused.length} of ${asked.length} requests with the same access token are rejected with ${describe(first)}: session-service processes differ.`,
        "Use the same secrets and synchronized clocks for every process. With session-service's environment the doctor names the process.",
      ),
    );
  } else if (profile !== undefined && profile.status !== 200) {
    found.push(
      problem(
        'token_refused',
        `A new access token is rejected; response: ${describe(profile)}.`,
        `${PASS_TOKENS} All nodes need the same secrets and synchronized clocks.`,
      ),
    );
  }
  const isCookieMissing = refreshCookieOf(login) === undefined;
  if (refresh !== undefined && refresh.status !== 200 && !isCookieMissing && !isVarying) {
    found.push(
      problem(
        'refresh_refused',
        `A refresh with the login's cookie is rejected; response: ${describe(refresh)}.`,
        `${PASS_TOKENS} All nodes need the same secrets and the same store.`,
      ),
    );
  } else if (refreshed !== undefined && refreshed.status !== 200 && !isVarying) {
    found.push(
      problem(
        'token_refused',
        `The access token of a refresh is rejected; response: ${describe(refreshed)}.`,
        `${PASS_TOKENS} All nodes need the same secrets and synchronized clocks.`,
      ),
    );
  }
  if (logout !== undefined && logout.status !== 204 && !isVarying) {
    found.push(
      problem('logout_refused', `POST /logout is rejected; response: ${describe(logout)}.`, PASS_TOKENS),
    );
  }
  if (after !== undefined && after.status === 200) {
    found.push(
      problem(
        'logout_not_felt',
        'The access token is still accepted after the logout.',
        'All nodes of the session service need the same STORE_URL; tollgate_revocation_lag_seconds identifies lagging nodes.',
      ),
    );
  }
  if (end !== undefined && end.status !== 204) {
    found.push(
      problem(
        'delete_refused',
        `DELETE /refresh does not arrive; response: ${describe(end)}.`,
        'Let the gateway pass the method DELETE on.',
      ),
    );
  }
  return found;
}

async function repeatProfile(client: PublicClient, bearer: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let times = 0; times < REPEATS; times++) {
    answers.push(await withBearer(client, 'GET', '/profile', bearer));
  }
  return answers;
}

/** A logout reaches every node within a second; until then the token may be accepted. */
async function getUntilRefused(client: PublicClient, bearer: string): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await withBearer(client, 'GET', '/profile', bearer);
    if (answer.status !== 200 || attempt === REFUSAL_ATTEMPTS) return answer;
    await sleep(REFUSAL_INTERVAL_MS);
  }
}

function withBearer(client: PublicClient, method: string, path: string, bearer: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}`, origin: client.pageOrigin };
  return client.send(method, path, { headers });
}

function withCookie(client: PublicClient, method: string, cookie: string): Promise<Answer> {
  return client.send(method, '/refresh', { headers: { cookie, origin: client.pageOrigin } });
}

function cookieOf(answer: Answer): string {
  const cookie = refreshCookieOf(answer);
  return cookie === undefined ? '' : `${cookie.name}=${cookie.value}`;
}
