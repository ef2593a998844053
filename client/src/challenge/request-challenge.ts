// Asks the challenge service for a challenge.

import type { ErrorBody } from '../wire.js';
import type { FetchOptions } from './challenge-options.js';
import { CaptchaRequestError } from './errors.js';
import { startPatience } from './time-limits.js';

/** A connection that has died is told by nothing else. */
const PATIENCE_MS = 30_000;

/** What must be in an answer. */
type Shape<T> = { readonly [K in keyof T]?: 'string' | 'number' };

/**
 * @param path of the endpoint, after the prefix
 * @param query what is undefined is left out
 * @throws CaptchaRequestError when the answer is no challenge
 * @throws TypeError when there is no answer, as `fetch` does
 * @throws DOMException `TimeoutError` when there is none within 30 s
 */
export async function requestChallenge<T>(
  path: '' | '/pow',
  query: Readonly<Record<string, string | number | undefined>>,
  shape: Shape<T>,
  { baseUrl = '', prefix = 'api/captcha', fetchOptions, signal }: FetchOptions,
): Promise<T> {
  // URLSearchParams makes texts of numbers.
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  const place = `${baseUrl.replace(/\/+$/, '')}/${prefix.replace(/^\/+|\/+$/g, '')}${path}`;
  const late = () => new DOMException('The service does not answer.', 'TimeoutError');
  const patience = startPatience(PATIENCE_MS, [signal, fetchOptions?.signal], late);
  try {
    const response = await fetch(search === '' ? place : `${place}?${search}`, {
      cache: 'no-store',
      ...fetchOptions,
      signal: patience.signal,
    });
    const body: unknown = await response.json().catch((error: unknown) => {
      if (patience.signal.aborted) throw error;
    });
    if (response.ok && hasShape(body, shape)) return body;
    throw refusalOf(response, body as Partial<ErrorBody> | null | undefined);
  } finally {
    patience.end();
  }
}

function hasShape<T>(body: unknown, shape: Shape<T>): body is T {
  return (
    typeof body === 'object' &&
    body !== null &&
    Object.entries(shape).every(([name, type]) => typeof (body as Record<string, unknown>)[name] === type)
  );
}

function refusalOf(response: Response, body: Partial<ErrorBody> | null | undefined): CaptchaRequestError {
  const { status } = response;
  const what = response.ok ? 'something other than a challenge' : `status ${status}`;
  const message = body?.message ?? `The challenge service answered with ${what}. Is the prefix right?`;
  const retryAfter = response.headers.get('Retry-After');
  return new CaptchaRequestError(message, {
    status,
    code: body?.code ?? null,
    retryAfterSeconds: retryAfter === null ? null : secondsOf(retryAfter),
  });
}

/** `Retry-After` has seconds or a date (RFC 9110, 10.2.3). */
function secondsOf(retryAfter: string): number | null {
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return seconds;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
