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
 * The difficulty in bits of a challenge issued now (decisions 2.1, "Price").
 *
 * @param failures failures remembered on the account key, 0 without one
 * @param requests challenges that the address has asked for in its window, this one included
 */
export function priceOf(terms: PriceTerms, failures: number, requests: number): number {
  const volume = terms.volumeStep * Math.floor(requests / terms.volumeEvery);
  return Math.min(terms.ceiling, terms.floor + terms.failureStep * failures + volume);
}
