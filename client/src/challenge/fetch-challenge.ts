// Fetches the three kinds of challenge.

import type { EffortChallenge, ImageChallenge, PowChallenge } from '../wire.js';
import type { FetchOptions } from './challenge-options.js';
import { requestChallenge } from './request-challenge.js';

/**
 * A proof of work, to be solved by `solvePow`.
 * @throws CaptchaRequestError, and what `fetch` throws; the same holds for the other two
 */
export function fetchPowChallenge(options: FetchOptions = {}): Promise<PowChallenge> {
  const shape = {
    token: 'string',
    salt: 'string',
    difficulty: 'number',
    algorithm: 'string',
    expires_in: 'number',
  } as const;
  const query = { scope: options.scope, min_difficulty: options.minDifficulty };
  return requestChallenge<PowChallenge>('/pow', query, shape, options);
}

/** An image. It is drawn when its `url` is loaded. @param preset the service's default unless said */
export function fetchImageChallenge(preset?: string, options: FetchOptions = {}): Promise<ImageChallenge> {
  const shape = { token: 'string', url: 'string', expires_in: 'number' } as const;
  return requestChallenge<ImageChallenge>('', { preset }, shape, options);
}

/** Work in place of an image, to be solved by `solveEffort`. The service may have it switched off: 422 `unknown_preset`. */
export function fetchEffortChallenge(options: FetchOptions = {}): Promise<EffortChallenge> {
  const shape = {
    token: 'string',
    salt: 'string',
    parts: 'number',
    part_difficulty: 'number',
    algorithm: 'string',
    expires_in: 'number',
  } as const;
  return requestChallenge<EffortChallenge>('', { preset: 'effort', scope: options.scope }, shape, options);
}
