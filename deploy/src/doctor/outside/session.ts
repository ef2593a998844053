// Whether a person can sign in, stay signed in and sign out.

import { type Answer, codeOf, describe } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';
import { refreshCookieOf } from './cookie.js';

/** What happened, in its order; a step is undefined when it was not reached. */
export interface SessionFacts {
  /** `POST /login` at last, after repeats with better work. */
  readonly login: Answer;
  /** `GET /profile` with the access token. */
  readonly profile?: Answer | undefined;
  /** `GET /sessions`. */
  readonly sessions?: Answer | undefined;
  /** `POST /refresh` with the cookie. */
  readonly refresh?: Answer | undefined;
  /** `GET /profile` with the access token of the refresh. */
  readonly refreshed?: Answer | undefined;
  /** `POST /logout`. */
  readonly logout?: Answer | undefined;
  /** `GET /profile` with the same token after the log-out. */
  readonly after?: Answer | undefined;
  /** `DELETE /refresh` with the cookie. */
  readonly end?: Answer | undefined;
  /** Whether a session was started and could not be ended. */
  readonly isLeft: boolean;
}

const PASS_TOKENS =
  'Let the gateway pass Authorization and Cookie on as they are, percent signs included, up to 8 KiB.';

/** The steps of a session. */
export function diagnoseSession(facts: SessionFacts): Finding[] {
  if (facts.login.status !== 200) return [diagnoseLogin(facts.login)];
  const found = diagnoseSteps(facts);
  if (facts.isLeft) {
    found.push(
      problem(
        'session_left',
        "The doctor's session could not be ended.",
        'End it from the list of sessions of the account; unused, it ends by itself after REFRESH_TTL.',
      ),
    );
  }
  // What no cookie leads to is said with the cookie.
  if (found.length > 0 || refreshCookieOf(facts.login) === undefined) return found;
  return [good('session', 'A log-in, a refresh and a log-out work, and the log-out is felt at once.')];
}

function diagnoseSteps({ login, profile, refresh, refreshed, logout, after, end }: SessionFacts): Finding[] {
  const found: Finding[] = [];
  if (profile !== undefined && profile.status !== 200) {
    found.push(
      problem(
        'token_refused',
        `An access token that was just issued is refused: the answer is ${describe(profile)}.`,
        `${PASS_TOKENS} All nodes need the same secrets and clocks that agree.`,
      ),
    );
  }
  const isCookieMissing = refreshCookieOf(login) === undefined;
  if (refresh !== undefined && refresh.status !== 200 && !isCookieMissing) {
    found.push(
      problem(
        'refresh_refused',
        `A refresh with the cookie of the log-in is refused: the answer is ${describe(refresh)}.`,
        `${PASS_TOKENS} All nodes need the same secrets and the same store.`,
      ),
    );
  } else if (refreshed !== undefined && refreshed.status !== 200) {
    found.push(
      problem(
        'token_refused',
        `The access token of a refresh is refused: the answer is ${describe(refreshed)}.`,
        `${PASS_TOKENS} All nodes need the same secrets and clocks that agree.`,
      ),
    );
  }
  if (logout !== undefined && logout.status !== 204) {
    found.push(
      problem('logout_refused', `POST /logout is refused: the answer is ${describe(logout)}.`, PASS_TOKENS),
    );
  }
  if (after !== undefined && after.status === 200) {
    found.push(
      problem(
        'logout_not_felt',
        'After the log-out the access token is still accepted.',
        'All nodes of the session service need the same STORE_URL; tollgate_revocation_lag_seconds tells who does not follow.',
      ),
    );
  }
  if (end !== undefined && end.status !== 204) {
    found.push(
      problem(
        'delete_refused',
        `DELETE /refresh does not get through: the answer is ${describe(end)}.`,
        'Let the gateway pass the method DELETE on.',
      ),
    );
  }
  return found;
}

function diagnoseLogin(login: Answer): Finding {
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
        'This address has tried too many log-ins.',
        `${wait}, then start the doctor again.`,
      );
    case 'origin_refused':
      return problem(
        'login_refused',
        'The log-in is refused because of its Origin.',
        'Set PUBLIC_URL to the address that browsers see, and CORS_ORIGIN to the origin of the pages.',
      );
    default:
      return problem(
        'login_refused',
        `The log-in is not answered as it should be: the answer is ${describe(login)}.`,
        'Both services need the same CHALLENGE_SECRET, CAPTCHA_CACHE_STORE and CAPTCHA_* options; the gateway must pass the body on.',
      );
  }
}
