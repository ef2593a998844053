// Signs in, refreshes and signs out as a browser does; whatever happens, no session is left behind.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { type Answer, codeOf, textOf } from '../answer.js';
import type { Visitor } from '../visitor.js';
import { refreshCookieOf } from './cookie.js';
import type { SessionFacts } from './session.js';
import { solveWork } from './solve.js';

/** Who signs in. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

/** Work that is refused as too cheap is done again under the account's ticket, so often. */
const TRIES = 3;

/** A log-out is felt by every node within a second. */
const FELT_TRIES = 8;
const FELT_PAUSE_MS = 200;

type Fields = CaptchaOptions['pow']['fields'];

/** Every step of a session; the last ones are tried even when one before them fails. */
export async function trySession(visitor: Visitor, account: Account, fields: Fields): Promise<SessionFacts> {
  const login = await logIn(visitor, account, fields);
  if (login.status !== 200) return { login, isLeft: false };
  const steps: { -readonly [Step in keyof SessionFacts]?: SessionFacts[Step] } = {};
  let bearer = textOf(login, 'accessToken');
  let cookie = cookieOf(login);
  try {
    steps.profile = await withBearer(visitor, 'GET', '/profile', bearer);
    steps.sessions = await withBearer(visitor, 'GET', '/sessions', bearer);
    steps.refresh = await withCookie(visitor, 'POST', cookie);
    if (steps.refresh.status === 200) {
      bearer = textOf(steps.refresh, 'accessToken');
      cookie = cookieOf(steps.refresh) || cookie;
      steps.refreshed = await withBearer(visitor, 'GET', '/profile', bearer);
    }
  } finally {
    steps.logout = await withBearer(visitor, 'POST', '/logout', bearer);
    if (steps.logout.status === 204) steps.after = await untilRefused(visitor, bearer);
    steps.end = await withCookie(visitor, 'DELETE', cookie);
  }
  // DELETE /refresh answers 204 to a request without a cookie too.
  const isCookieRead = steps.refresh?.status === 200;
  const isEnded = steps.logout.status === 204 || (steps.end.status === 204 && isCookieRead);
  return { ...steps, login, isLeft: !isEnded };
}

async function logIn(visitor: Visitor, account: Account, fields: Fields): Promise<Answer> {
  let ticket: string | undefined;
  for (let tries = 1; ; tries++) {
    const work = await visitor.issueWork(ticket);
    const nonce = solveWork(work.json);
    if (work.status !== 200) return work;
    if (nonce === undefined) return { ...work, status: 0, text: 'the work cannot be done' };
    const body = { ...account, [fields.token]: work.json.token, [fields.nonce]: nonce };
    const login = await visitor.send('POST', '/login', {
      headers: { 'content-type': 'application/json', origin: visitor.pageOrigin },
      body: JSON.stringify(body),
    });
    ticket = textOf(login, 'pow_scope') || undefined;
    if (codeOf(login) !== 'pow_insufficient' || ticket === undefined || tries === TRIES) return login;
  }
}

async function untilRefused(visitor: Visitor, bearer: string): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await withBearer(visitor, 'GET', '/profile', bearer);
    if (answer.status !== 200 || tries === FELT_TRIES) return answer;
    await sleep(FELT_PAUSE_MS);
  }
}

function withBearer(visitor: Visitor, method: string, path: string, bearer: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}`, origin: visitor.pageOrigin };
  return visitor.send(method, path, { headers });
}

function withCookie(visitor: Visitor, method: string, cookie: string): Promise<Answer> {
  return visitor.send(method, '/refresh', { headers: { cookie, origin: visitor.pageOrigin } });
}

function cookieOf(answer: Answer): string {
  const cookie = refreshCookieOf(answer);
  return cookie === undefined ? '' : `${cookie.name}=${cookie.value}`;
}
