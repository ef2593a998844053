// The price of the next attempt: its difficulty, from recorded failures and from the volume of requests.

/** The terms of a price. Difficulties and steps are bits; `volumeEvery` is a number of requests. */
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
