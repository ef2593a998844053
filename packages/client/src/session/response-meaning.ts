// Classifies responses by their effect on the session. They may come from the session service or from a proxy in front.

/**
 * `definitive`: the service has ended the session. `passing`: a temporary failure; a retry may succeed. `unknown`: an
 * unexpected response, probably not from the service. Only `definitive` logs the user out.
 */
export type Meaning = 'definitive' | 'passing' | 'unknown';

/** Codes with which the service ends a session, with status 401. */
const endingCodes = /^(token_invalid|session_expired|session_revoked|cookie_conflict|binding_required)$/;

/**
 * @param status 0 without a response
 * @param code code in the body
 */
export function meaningOf(status: number, code: string): Meaning {
  if (status === 401 && endingCodes.test(code)) return 'definitive';
  // 511 comes from a network that requires its own sign-in (RFC 6585).
  const isPassing = status === 0 || status === 429 || (status >= 500 && status !== 511);
  return isPassing ? 'passing' : 'unknown';
}
