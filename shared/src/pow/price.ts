// The price of the next attempt: its difficulty, from recorded failures and from the volume of requests.

/** What a price is computed from. Difficulties and steps are bits; `volumeEvery` is a number of requests. */
export interface PriceTerms {
  readonly floor: number;
  readonly ceiling: number;
  readonly failureStep: number;
  readonly volumeStep: number;
  readonly volumeEvery: number;
}

/**
 * Returns the difficulty in bits of a challenge issued now (docs/decisions/proof-of-work.md).
 *
 * @param failures failures of the account, 0 without an account
 * @param requests challenges that the address has requested in its window, including this one
 */
export function priceOf(terms: PriceTerms, failures: number, requests: number): number {
  const volume = terms.volumeStep * Math.floor(requests / terms.volumeEvery);
  return Math.min(terms.ceiling, terms.floor + terms.failureStep * failures + volume);
}

/** The highest price that the options allow, in bits. */
const MOST_BITS = 24;

/**
 * Returns the ceiling of the price of a site, in bits: above that of all others by as much as its floor is, so that the
 * price of a dearer site can rise too, and at most 24.
 * @param all floor and ceiling of all others, in bits
 * @param floor floor of the site, in bits
 */
export function siteCeiling(
  all: { readonly difficulty: number; readonly max_difficulty: number },
  floor: number,
): number {
  const raised = Math.max(0, floor - all.difficulty);
  return Math.max(floor, Math.min(MOST_BITS, all.max_difficulty + raised));
}
