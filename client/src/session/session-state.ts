// What a front end sees of the session: an immutable snapshot, without the token.

/**
 * `unknown`: nobody has asked the server yet, or it could not be asked, or somebody else may be signed in by now.
 * `refreshing`: signed in, and the token is being replaced.
 */
export type SessionStatus = 'unknown' | 'signed-out' | 'refreshing' | 'signed-in';

export interface SessionState {
  readonly status: SessionStatus;
  /** When the access token ends, milliseconds since 1970; null without one. */
  readonly expiresAtMs: number | null;
  /**
   * Why nobody is signed in although somebody was: the `code` of the server's answer, `http_` and its status when
   * it had none, `invalid_answer`, `network` or `logged_out`; null otherwise.
   */
  readonly reason: string | null;
}
