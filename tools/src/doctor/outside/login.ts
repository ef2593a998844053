// Logs in like a browser, and explains a failed login.

import { sha256Text, solves } from '@tollgate/shared/pow';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { type Answer, codeOf, describe, textOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, problem, warning } from '../report.js';

/** The account of the login. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

/** Names of the fields of the proof of work. */
export type WorkFields = CaptchaOptions['pow']['fields'];

/** Maximum difficulty that Tollgate requires. */
const MAX_BITS = 24;

/** Retries with new work after a rejection for insufficient work. */
const MAX_ATTEMPTS = 3;

/** Logs in. A rejection for insufficient work returns the account's ticket, which is used to request new work. */
export async function logIn(client: PublicClient, account: Account, fields: WorkFields): Promise<Answer> {
  let ticket: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const work = await client.issueWork(ticket);
    const nonce = solveWork(work.json);
    if (work.status !== 200) return work;
    if (nonce === undefined) return { ...work, status: 0, text: 'the work cannot be solved' };
    const body = { ...account, [fields.token]: work.json.token, [fields.nonce]: nonce };
    const login = await client.send('POST', '/login', {
      headers: { 'content-type': 'application/json', origin: client.pageOrigin },
      body: JSON.stringify(body),
    });
    ticket = textOf(login, 'pow_scope') || undefined;
    if (codeOf(login) !== 'pow_insufficient' || ticket === undefined || attempt === MAX_ATTEMPTS)
      return login;
  }
}

/** The nonce of a proof of work; undefined if it is not one that Tollgate issues. */
export function solveWork(work: Readonly<Record<string, unknown>>): string | undefined {
  const { salt, difficulty, algorithm } = work;
  if (typeof salt !== 'string' || typeof difficulty !== 'number' || algorithm !== 'sha256') return undefined;
  if (difficulty > MAX_BITS) return undefined;
  let nonce = 0;
  while (!solves(sha256Text, salt, String(nonce), difficulty)) nonce++;
  return String(nonce);
}

/** Explains a failed login. */
export function diagnoseLogin(login: Answer): Finding {
  const retryAfter = login.headers['retry-after'];
  const wait = retryAfter === undefined ? 'Wait' : `Wait ${retryAfter} s`;
  switch (codeOf(login)) {
    case 'login_failed':
      return problem(
        'login_failed',
        'The email or the password is wrong, or the account is disabled. This counts as one failure of the account.',
        'Try again with the right password; a success clears the failures.',
      );
    case 'captcha_required':
      return warning(
        'image_demanded',
        'The account has failures, so an image is required, which the doctor cannot solve. No session was started.',
        'Log in once with a browser, wait until the failures decay (CAPTCHA_ESCALATION_DECAY), or use another account.',
      );
    case 'login_throttled':
      return warning(
        'login_throttled',
        'The account is throttled for this address.',
        `${wait}, then start the doctor again.`,
      );
    case 'rate_limited':
      return warning(
        'limited',
        'This address has made too many login attempts.',
        `${wait}, then start the doctor again.`,
      );
    case 'origin_refused':
      return problem(
        'login_refused',
        'The login is rejected because of its Origin.',
        'Set PUBLIC_URL to the public address, and CORS_ORIGIN to the origin of the pages.',
      );
    default:
      return problem(
        'login_refused',
        `Unexpected login response: ${describe(login)}.`,
        'Both services need the same CHALLENGE_SECRET, CAPTCHA_CACHE_STORE and CAPTCHA_* options; the gateway must pass the body on.',
      );
  }
}
