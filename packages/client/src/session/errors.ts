// Error of a session request.

import { type Meaning, meaningOf } from './response-meaning.js';

/** The session service returned no response, an error, or an invalid body. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  /**
   * `code` of the response, or `http_` and the status if it had none; `network` without a response; `invalid_answer` if a
   * success carried no token.
   */
  declare readonly reason: string;
  /** HTTP status; 0 without a response. */
  declare readonly status: number;
  /** `Retry-After` of the response in milliseconds; 0 without one. */
  declare readonly retryAfterMs: number;

  constructor(reason: string, status = 0, retryAfterMs = 0, options?: { cause?: unknown }) {
    super(`The session service: ${reason}`, options);
    this.reason = reason;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Effect of a failed refresh on the session. */
  get meaning(): Meaning {
    return meaningOf(this.status, this.reason);
  }
}
