// Redeems a solved challenge for a receipt, and reads the response.

import { CaptchaRequestError } from '../../challenge/errors.js';
import { readRefusal } from '../../challenge/requirements.js';
import { startTimeout } from '../../challenge/time-limits.js';
import { errorCodeOf } from '../../element/error-codes.js';
import { readRetryAfterMs } from '../../retry-after.js';
import type { Flavour, Reason } from '../messages.js';

/** Response timeout in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A receipt, which the page sends to its server. */
export interface Receipt {
  readonly token: string;
  readonly expires_in: number;
}

/** Data sent with the challenge. */
interface RedeemPurpose {
  readonly api: Flavour;
  readonly action: string | undefined;
  readonly cdata: string | undefined;
  /** Origin of the page around the frame. */
  readonly origin: string;
}

/** @param address site address with a trailing slash */
export async function redeem(
  address: string,
  fields: Readonly<Record<string, string>>,
  purpose: RedeemPurpose,
): Promise<Response> {
  const timeout = startTimeout(TIMEOUT_MS, [], () => new DOMException('No response.', 'TimeoutError'));
  try {
    return await fetch(`${address}redeem`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...fields, ...purpose }),
      signal: timeout.signal,
    });
  } finally {
    timeout.clear();
  }
}

/** Whether the image answer was rejected, or an image is required. */
export function isImageRejected(body: unknown): boolean {
  return ['captcha_invalid', 'captcha_required'].includes(readRefusal(body).code ?? '');
}

/** Whether new work may be accepted: the last was already used, expired or insufficient. */
export function isWorkRejected(body: unknown): boolean {
  return ['pow_invalid', 'pow_insufficient'].includes(readRefusal(body).code ?? '');
}

/** Returns the error of a rejected request. */
export function rejectionOf({ status, headers }: Response, body: unknown): CaptchaRequestError {
  const { message = `The service returned status ${status}.`, code = null } = (body ?? {}) as {
    message?: string;
    code?: string;
  };
  const retryAfterMs = readRetryAfterMs(headers);
  const retryAfterSeconds = retryAfterMs && Math.ceil(retryAfterMs / 1000);
  return new CaptchaRequestError(message, { status, code, retryAfterSeconds });
}

/** Returns the reason that the page receives. */
export function reasonOf(error: Error): Reason {
  if (error instanceof CaptchaRequestError) {
    if (error.code === 'hostname_not_allowed') return 'hostname';
    if (error.status === 404) return 'sitekey';
  }
  const code = errorCodeOf(error);
  if (code === 'offline' || code === 'no_answer') return 'network';
  return code === 'wrong_setup' ? 'failed' : code;
}
