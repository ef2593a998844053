// The table of answers: what an answer of the session service, or of whatever answered in its place, says about the session.

/**
 * `definitive`: the service itself has ended the session. `passing`: nothing at present, a later attempt will learn more.
 * `unknown`: something answered, but not the service as this package knows it. Only the first one signs anybody out.
 */
export type Meaning = 'definitive' | 'passing' | 'unknown';

/** The codes with which the service ends a session, each with the status 401. */
const endingCodes = /^(token_invalid|session_expired|session_revoked|cookie_conflict|binding_required)$/;

/**
 * @param status 0 without an answer
 * @param code of the body
 */
export function meaningOf(status: number, code: string): Meaning {
  if (status === 401 && endingCodes.test(code)) return 'definitive';
  // 511 is a network that demands a sign-in of its own (RFC 6585).
  const isPassing = status === 0 || status === 429 || (status >= 500 && status !== 511);
  return isPassing ? 'passing' : 'unknown';
}
