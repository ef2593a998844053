// How the challenges of a site differ from those of the plain endpoints.

import { siteCeiling } from '@tollgate/shared/pow/price.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';

/** The options of a site that decide its challenges. */
export interface SiteChallengeOptions {
  /** Floor of the price, in bits. */
  readonly difficulty: number;
}

/** Returns the options under which the challenges of a site are issued: its own floor, and a ceiling of its own. */
export function siteChallengeOptions(options: CaptchaOptions, site: SiteChallengeOptions): CaptchaOptions {
  const max_difficulty = siteCeiling(options.pow, site.difficulty);
  return { ...options, pow: { ...options.pow, difficulty: site.difficulty, max_difficulty } };
}
