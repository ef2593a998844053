// Fetches proof-of-work, image and effort challenges.

import { readRetryAfterMs } from '../retry-after.js';
import type { EffortChallenge, ErrorBody, ImageChallenge, PowChallenge } from '../wire.js';
import type { FetchOptions } from './challenge-options.js';
import { CaptchaRequestError } from './errors.js';
import { startTimeout } from './time-limits.js';

/** Without a timeout a dead connection goes unnoticed. */
const TIMEOUT_MS = 30_000;

/** Whether this page may be able to compute HashWX: its content security policy may still forbid WebAssembly. */
let hasHashwx = typeof WebAssembly === 'object';

const algorithmsFor = ({ algorithms }: FetchOptions) => (hasHashwx ? algorithms : undefined);

/** Fetches and solves; repeats with SHA-256 if this page has no WebAssembly. */
export async function orWithoutHashwx<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!hasHashwx || (error as Error | null)?.name !== 'HashwxUnavailableError') throw error;
    hasHashwx = false;
    return attempt();
  }
}

/** Required response fields. */
type Shape<T> = { readonly [K in keyof T]?: 'string' | 'number' };

/** Required fields of both kinds of work. */
const workShape = { token: 'string', salt: 'string', algorithm: 'string', expires_in: 'number' } as const;

/**
 * Fetches a proof of work for `solvePow`.
 * @throws CaptchaRequestError if the response is not a challenge; the same holds for the other two functions
 * @throws TypeError if there is no response, as `fetch` does
 * @throws DOMException `TimeoutError` if there is no response within 30 s
 */
export function fetchPowChallenge(options: FetchOptions = {}): Promise<PowChallenge> {
  const { scope, minDifficulty: min_difficulty } = options;
  const query = { scope, min_difficulty, algorithms: algorithmsFor(options) };
  return requestChallenge<PowChallenge>('/pow', query, { ...workShape, difficulty: 'number' }, options);
}

/** Fetches an image challenge, drawn when its `url` is loaded. @param preset the service's default if omitted */
export function fetchImageChallenge(preset?: string, options: FetchOptions = {}): Promise<ImageChallenge> {
  const shape = { token: 'string', url: 'string', expires_in: 'number' } as const;
  return requestChallenge<ImageChallenge>('', { preset, hint: 1 }, shape, options);
}

/** Fetches work in place of an image, for `solveEffort`. A service without `effort` responds 422 `unknown_preset`. */
export function fetchEffortChallenge(options: FetchOptions = {}): Promise<EffortChallenge> {
  const query = { preset: 'effort', scope: options.scope, algorithms: algorithmsFor(options) };
  const shape = { ...workShape, parts: 'number', part_difficulty: 'number' } as const;
  return requestChallenge<EffortChallenge>('', query, shape, options);
}

/**
 * @param path endpoint path after the prefix
 * @param query undefined values are omitted
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
  const timeoutReason = () => new DOMException('The service did not respond.', 'TimeoutError');
  const timeout = startTimeout(TIMEOUT_MS, [signal, fetchOptions?.signal], timeoutReason);
  try {
    const response = await fetch(url, {
      cache: 'no-store',
      ...fetchOptions,
      signal: timeout.signal,
    });
    const body: unknown = await response.json().catch((error: unknown) => {
      // A response that breaks off is no response. Other errors mean that it is not JSON.
      if (timeout.signal.aborted || !(error instanceof SyntaxError)) throw error;
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
  const result = response.ok ? 'no challenge' : `status ${status}`;
  const message = body?.message ?? `The service returned ${result}. Check the prefix.`;
  const retryAfterMs = readRetryAfterMs(response.headers);
  return new CaptchaRequestError(message, {
    status,
    code: body?.code ?? null,
    retryAfterSeconds: retryAfterMs && Math.ceil(retryAfterMs / 1000),
  });
}
