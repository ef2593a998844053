// How the challenges of a site differ from those of the plain endpoints.

import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';

/** The options of a site that decide its challenges. */
export interface SiteChallengeOptions {
  /** Floor of the price, in bits. */
  readonly difficulty: number;
}

/** Returns the options under which the challenges of a site are issued: its own floor, and a ceiling not below it. */
export function siteChallengeOptions(
  options: CaptchaOptions,
  { difficulty }: SiteChallengeOptions,
): CaptchaOptions {
  const max_difficulty = Math.max(options.pow.max_difficulty, difficulty);
  return { ...options, pow: { ...options.pow, difficulty, max_difficulty } };
}
