// Error codes of the element: each selects a text and is part of the event `tollgate-error`.
import { CaptchaRequestError } from '../challenge/errors.js';
import { PowGaveUpError } from '../solver/errors.js';

/**
 * - `rate_limited`: rate limit exceeded
 * - `unavailable`: server error
 * - `wrong_setup`: the response is not from the service, or the service rejects the request; or the page has no origin, so
 *   that it cannot read any response
 * - `offline`: the device has no network
 * - `no_answer`: no response
 * - `gave_up`: the device found no solution
 * - `failed`: anything else
 */
export type ErrorCode =
  | 'rate_limited'
  | 'unavailable'
  | 'wrong_setup'
  | 'offline'
  | 'no_answer'
  | 'gave_up'
  | 'failed';

export function errorCodeOf(error: Error | null): ErrorCode {
  if (error instanceof PowGaveUpError) return 'gave_up';
  if (error instanceof CaptchaRequestError) {
    if (error.isRateLimited) return 'rate_limited';
    return error.status >= 500 ? 'unavailable' : 'wrong_setup';
  }
  // `fetch` throws a TypeError without a response, and the client throws a TimeoutError.
  if (!(error instanceof TypeError) && error?.name !== 'TimeoutError') return 'failed';
  if (globalThis.origin === 'null') return 'wrong_setup';
  return navigator.onLine === false ? 'offline' : 'no_answer';
}

/** Whether the same request may succeed later without a change to the page. */
export function isPassing(error: Error): boolean {
  return ['rate_limited', 'unavailable', 'offline', 'no_answer'].includes(errorCodeOf(error));
}
