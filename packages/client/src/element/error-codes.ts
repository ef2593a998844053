// What an error means for the person: its code, which names a text and stands in the event `tollgate-error`.
import { CaptchaRequestError } from '../challenge/errors.js';
import { PowGaveUpError } from '../solver/errors.js';

/**
 * - `rate_limited`: the service asks to wait
 * - `unavailable`: the service answers that it cannot
 * - `wrong_setup`: something answers that is not the service, or refuses what the element asks for; or the page has no
 *   origin, so that no service lets it read an answer
 * - `offline`: the device has no network
 * - `no_answer`: the service does not answer
 * - `gave_up`: the device did not find a solution
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
  // `fetch` throws a TypeError without an answer, and the client throws a TimeoutError if none comes in time.
  if (!(error instanceof TypeError) && error?.name !== 'TimeoutError') return 'failed';
  if (globalThis.origin === 'null') return 'wrong_setup';
  return navigator.onLine === false ? 'offline' : 'no_answer';
}

/** Whether the same request may succeed later, without a change of the page. */
export function isPassing(error: Error): boolean {
  return ['rate_limited', 'unavailable', 'offline', 'no_answer'].includes(errorCodeOf(error));
}
