// The error of a session request.

import { type Meaning, meaningOf } from './answers.js';

/** The session service did not answer, or not with what the request needs. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  /**
   * The `code` of the server's answer, or `http_` and the status if it had none; `network` without an answer;
   * `invalid_answer` if a success carried no token.
   */
  declare readonly reason: string;
  /** The HTTP status; 0 without an answer. */
  declare readonly status: number;
  /** How long the server asks the client to wait, in milliseconds; 0 if it does not say. */
  declare readonly retryAfterMs: number;

  constructor(reason: string, status = 0, retryAfterMs = 0, options?: { cause?: unknown }) {
    super(`The session service: ${reason}`, options);
    this.reason = reason;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** What the failure of a refresh says about the session. */
  get meaning(): Meaning {
    return meaningOf(this.status, this.reason);
  }
}
