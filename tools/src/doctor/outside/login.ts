// Signs in as a browser does, and says why a login fails.

import { sha256Text } from '@tollgate/shared/challenges';
import { solves } from '@tollgate/shared/pow';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { type Answer, codeOf, describe, textOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, problem, warning } from '../report.js';

/** The account that signs in. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

/** Names of the fields of the proof of work. */
export type WorkFields = CaptchaOptions['pow']['fields'];

/** Greatest difficulty that Tollgate asks for. */
const MAX_BITS = 24;

/** Logins with new work after a refusal for work that was too cheap. */
const MAX_ATTEMPTS = 3;

/** Signs in. A refusal for work that was too cheap names the ticket of the account, under which new work is issued. */
export async function logIn(client: PublicClient, account: Account, fields: WorkFields): Promise<Answer> {
  let ticket: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const work = await client.issueWork(ticket);
    const nonce = solveWork(work.json);
    if (work.status !== 200) return work;
    if (nonce === undefined) return { ...work, status: 0, text: 'the work cannot be done' };
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

/** Why a login failed. */
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
        'The account has failures, so an image is demanded, which the doctor cannot read. Nothing was signed in.',
        'Sign in once with a browser, wait until the failures are forgotten (CAPTCHA_ESCALATION_DECAY), or take another account.',
      );
    case 'login_throttled':
      return warning(
        'login_throttled',
        'The account has to wait at this address.',
        `${wait}, then start the doctor again.`,
      );
    case 'rate_limited':
      return warning(
        'limited',
        'This address has tried too many logins.',
        `${wait}, then start the doctor again.`,
      );
    case 'origin_refused':
      return problem(
        'login_refused',
        'The login is refused because of its Origin.',
        'Set PUBLIC_URL to the address that browsers see, and CORS_ORIGIN to the origin of the pages.',
      );
    default:
      return problem(
        'login_refused',
        `The login is not answered as it should be: the answer is ${describe(login)}.`,
        'Both services need the same CHALLENGE_SECRET, CAPTCHA_CACHE_STORE and CAPTCHA_* options; the gateway must pass the body on.',
      );
  }
}
