// How a site's challenges differ from those of the plain endpoints.

import type { CaptchaOptions } from '@tollgate/shared/schemas';

/** The options of a site that decide its challenges. */
interface SiteChallengeOptions {
  /** Floor of the price, in bits. */
  readonly difficulty: number;
}

/** The highest price that the options allow, in bits. */
const MOST_BITS = 24;

/** Returns the challenge options of a site: with its own floor and ceiling. */
export function siteChallengeOptions(options: CaptchaOptions, site: SiteChallengeOptions): CaptchaOptions {
  const max_difficulty = siteCeiling(options.pow, site.difficulty);
  return { ...options, pow: { ...options.pow, difficulty: site.difficulty, max_difficulty } };
}

/**
 * Returns the price ceiling of a site, in bits: raised like its floor, so that the price of an expensive site can rise too,
 * and at most 24.
 * @param all floor and ceiling of the plain endpoints, in bits
 * @param floor floor of the site, in bits
 */
function siteCeiling(
  all: { readonly difficulty: number; readonly max_difficulty: number },
  floor: number,
): number {
  const raised = Math.max(0, floor - all.difficulty);
  return Math.max(floor, Math.min(MOST_BITS, all.max_difficulty + raised));
}
