// Fetches challenges of each type: proof of work, image, and effort.

import { readRetryAfterMs } from '../retry-after.js';
import type { EffortChallenge, ErrorBody, ImageChallenge, PowChallenge } from '../wire.js';
import type { FetchOptions } from './challenge-options.js';
import { CaptchaRequestError } from './errors.js';
import { startTimeout } from './time-limits.js';

/** Nothing else reports a connection that has died. */
const TIMEOUT_MS = 30_000;

/** Whether this page can compute HashWX, as far as it knows: its policy may still forbid WebAssembly. */
let hasHashwx = typeof WebAssembly === 'object';

const algorithmsFor = ({ algorithms }: FetchOptions) => (hasHashwx ? algorithms : undefined);

/** Fetches and solves; once more, in SHA-256, if this page turns out to have no WebAssembly. */
export async function orWithoutHashwx<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!hasHashwx || (error as Error | null)?.name !== 'HashwxUnavailableError') throw error;
    hasHashwx = false;
    return attempt();
  }
}

/** The fields that an answer must have. */
type Shape<T> = { readonly [K in keyof T]?: 'string' | 'number' };

/** Those of both kinds of work. */
const workShape = { token: 'string', salt: 'string', algorithm: 'string', expires_in: 'number' } as const;

/**
 * Fetches a proof of work, to be solved by `solvePow`.
 * @throws CaptchaRequestError if the answer is not a challenge; the same holds for the other two functions
 * @throws TypeError if there is no answer, as `fetch` does
 * @throws DOMException `TimeoutError` if there is no answer within 30 s
 */
export function fetchPowChallenge(options: FetchOptions = {}): Promise<PowChallenge> {
  const { scope, minDifficulty: min_difficulty } = options;
  const query = { scope, min_difficulty, algorithms: algorithmsFor(options) };
  return requestChallenge<PowChallenge>('/pow', query, { ...workShape, difficulty: 'number' }, options);
}

/** Fetches an image, which the service draws when its `url` is loaded. @param preset the service's default if omitted */
export function fetchImageChallenge(preset?: string, options: FetchOptions = {}): Promise<ImageChallenge> {
  const shape = { token: 'string', url: 'string', expires_in: 'number' } as const;
  return requestChallenge<ImageChallenge>('', { preset, hint: 1 }, shape, options);
}

/** Fetches work in place of an image, to be solved by `solveEffort`. A service without it answers 422 `unknown_preset`. */
export function fetchEffortChallenge(options: FetchOptions = {}): Promise<EffortChallenge> {
  const query = { preset: 'effort', scope: options.scope, algorithms: algorithmsFor(options) };
  const shape = { ...workShape, parts: 'number', part_difficulty: 'number' } as const;
  return requestChallenge<EffortChallenge>('', query, shape, options);
}

/**
 * @param path of the endpoint, after the prefix
 * @param query undefined values are left out
 */
async function requestChallenge<T>(
  path: '' | '/pow',
  query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
  shape: Shape<T>,
  { baseUrl = '', prefix = 'api/captcha', fetchOptions, signal }: FetchOptions,
): Promise<T> {
  // URLSearchParams converts numbers and lists to strings.
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = String(new URLSearchParams(given));
  const url = `${baseUrl.replace(/\/+$/, '')}/${prefix.replace(/^\/+|\/+$/g, '')}${path}${search && `?${search}`}`;
  const timeoutReason = () => new DOMException('The service does not answer.', 'TimeoutError');
  const timeout = startTimeout(TIMEOUT_MS, [signal, fetchOptions?.signal], timeoutReason);
  try {
    const response = await fetch(url, {
      cache: 'no-store',
      ...fetchOptions,
      signal: timeout.signal,
    });
    const body: unknown = await response.json().catch((error: unknown) => {
      if (timeout.signal.aborted) throw error;
    });
    if (response.ok && hasShape(body, shape)) return body;
    throw requestError(response, body as Partial<ErrorBody> | null | undefined);
  } finally {
    timeout.clear();
  }
}

function hasShape<T>(body: unknown, shape: Shape<T>): body is T {
  return (
    typeof body === 'object' &&
    body !== null &&
    Object.entries(shape).every(([name, type]) => typeof (body as Record<string, unknown>)[name] === type)
  );
}

function requestError(response: Response, body: Partial<ErrorBody> | null | undefined): CaptchaRequestError {
  const { status } = response;
  const what = response.ok ? 'something other than a challenge' : `status ${status}`;
  const message = body?.message ?? `The service answered with ${what}. Is the prefix right?`;
  const retryAfterMs = readRetryAfterMs(response.headers);
  return new CaptchaRequestError(message, {
    status,
    code: body?.code ?? null,
    retryAfterSeconds: retryAfterMs && Math.ceil(retryAfterMs / 1000),
  });
}
