// Checks that browsers store the refresh cookie and send it only to the paths that require it.

import { pathBelow } from '@tollgate/session-service/domain/presented-cookies.js';
import { isLoopbackHttp } from '@tollgate/shared/config';
import { type Answer, readSetCookie, type SetCookie } from '../answer.js';
import { type Finding, good, problem, warning } from '../report.js';

interface CookieFacts {
  readonly publicUrl: string;
  /** A successful login. */
  readonly login: Answer;
  /** The logout after it; undefined if there was none. */
  readonly logout: Answer | undefined;
}

const HOST_NAME = '__Host-refreshToken';
const NAMES = ['refreshToken', '__Secure-refreshToken', HOST_NAME];
/** The device cookie is not checked: the login works without it. */
const DEVICE_NAME = /knownDevice$/;
const UNCHANGED = 'Let the gateway pass Set-Cookie on unchanged.';

/** The refresh cookie of a response, by its usual names. A gateway may have changed the order of the headers. */
export function refreshCookieOf(answer: Answer): SetCookie | undefined {
  const cookies = answer.cookies.map(readSetCookie).filter(({ name }) => NAMES.includes(name));
  return cookies.find(({ value }) => value !== '') ?? cookies[0];
}

/** Requires the cookie's name, path and attributes as the service sets them, and that the logout clears it. */
export function diagnoseCookie({ publicUrl, login, logout }: CookieFacts): Finding[] {
  const cookie = refreshCookieOf(login);
  if (cookie === undefined) {
    const all = login.cookies.map((header) => readSetCookie(header).name || 'one without a name');
    const names = [...new Set(all)].filter((name) => !DEVICE_NAME.test(name));
    return [
      problem(
        'cookie_missing',
        names.length === 0
          ? 'The login sets no cookie.'
          : `The login sets no cookie named ${NAMES.join(' or ')}, but ${names.join(', ')}.`,
        UNCHANGED,
      ),
    ];
  }
  const found = [
    ...diagnosePath(publicUrl, cookie),
    ...diagnoseAttributes(publicUrl, cookie),
    ...diagnoseEnd(cookie, logout),
  ];
  return found.length > 0
    ? found
    : [good('cookie', `Browsers store the refresh cookie and send it to ${whereTo(publicUrl, cookie)}.`)];
}

function whereTo(publicUrl: string, { name }: SetCookie): string {
  if (name === HOST_NAME) return 'every path of this host; no other host can set it';
  return `${pathBelow(publicUrl, '/refresh')} only`;
}

function diagnosePath(publicUrl: string, { name, attributes }: SetCookie): Finding[] {
  const wanted = name === HOST_NAME ? '/' : pathBelow(publicUrl, '/refresh');
  const path = attributes.get('path');
  const found: Finding[] = [];
  if (path !== wanted) {
    found.push(
      problem(
        'cookie_path',
        path === undefined
          ? `The path of the refresh cookie is gone; it must be ${wanted}.`
          : `The path of the refresh cookie is ${path}; it must be ${wanted}, ${name === HOST_NAME ? 'or browsers reject the name' : 'where browsers refresh'}.`,
        `Set PUBLIC_URL of the session service to ${publicUrl}, and let the gateway rewrite no cookie path.`,
      ),
    );
  }
  if (attributes.has('domain')) {
    found.push(
      problem(
        'cookie_domain',
        `The refresh cookie has the Domain ${attributes.get('domain')}: every host below it gets the cookie.`,
        'Let the gateway add no Domain to cookies.',
      ),
    );
  }
  return found;
}

function diagnoseAttributes(publicUrl: string, { attributes }: SetCookie): Finding[] {
  const wanted = isLoopbackHttp(publicUrl) ? ['HttpOnly'] : ['HttpOnly', 'Secure'];
  const missing = wanted.filter((name) => !attributes.has(name.toLowerCase()));
  const found: Finding[] = missing.map((name) =>
    problem('cookie_attributes', `The refresh cookie has lost ${name}.`, UNCHANGED),
  );
  const sameSite = attributes.get('samesite')?.toLowerCase();
  if (sameSite !== 'strict' && sameSite !== 'lax') {
    found.push(
      problem(
        'cookie_same_site',
        `The refresh cookie has ${sameSite === undefined ? 'no SameSite' : `SameSite=${sameSite}`}: other sites can send it.`,
        UNCHANGED,
      ),
    );
  }
  if (!attributes.has('max-age')) {
    found.push(
      warning('cookie_max_age', 'The refresh cookie has lost Max-Age: it ends with the browser.', UNCHANGED),
    );
  }
  return found;
}

function diagnoseEnd(cookie: SetCookie, logout: Answer | undefined): Finding[] {
  if (logout?.status !== 204) return [];
  const cleared = logout.cookies.map(readSetCookie).find(({ name }) => name === cookie.name);
  const isCleared =
    cleared?.attributes.get('max-age') === '0' &&
    cleared.attributes.get('path') === cookie.attributes.get('path');
  if (isCleared) return [];
  return [
    problem('cookie_not_cleared', 'The logout does not clear the cookie that the login set.', UNCHANGED),
  ];
}
