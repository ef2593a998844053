// Shared by all challenge types when they are issued: dependencies, the client's address, price, salt and times.

import { addressPseudonyms, type Demand, type RequestLimit, type Scope } from '@tollgate/shared/challenges';
import { type KeyRing, randomHex } from '@tollgate/shared/crypto';
import { type Algorithm, acceptedAlgorithms, chooseAlgorithm, type Terms } from '@tollgate/shared/pow';
import type { CaptchaOptions } from '@tollgate/shared/schemas';

/** Dependencies of everything that issues challenges. */
export interface IssuerDependencies {
  readonly options: CaptchaOptions;
  readonly ring: KeyRing;
  readonly limit: RequestLimit;
  /** Returns the limit factor of a normalised address; 1 for every address by default. */
  readonly factorOf?: (address: string | null) => number;
  readonly random: (size: number) => Uint8Array;
  /** Returns the bits to add to the floor now; none by default. */
  readonly raisedBits?: () => number;
}

/** The content of a scope ticket: the account that work is priced for, and the demand of its form. */
export interface PricedScope {
  /** Null for a form without accounts. */
  readonly scope: Scope | null;
  /** Recorded failures of the account; 0 without one. */
  readonly failures: number;
  /** Null if the form demands nothing. */
  readonly demand: Demand | null;
}

/** All clients whose address is unknown are counted together. */
const NO_ADDRESS = 'unknown';

/** The algorithm of new work, with its salt. */
export interface NewWork {
  readonly algorithm: Algorithm;
  /** Hexadecimal digits. */
  readonly salt: string;
  /** Missing if the algorithm has none. */
  readonly terms?: Terms;
}

/**
 * Returns the algorithm and salt of new work.
 * @param asked the requested algorithms, unparsed
 * @param demand the demand of its form
 */
export function newWork(
  { options, random }: IssuerDependencies,
  asked: unknown,
  demand: Demand | null = null,
): NewWork {
  const accepted = acceptedAlgorithms(options.pow.algorithms);
  const { algorithm, exchange } = chooseAlgorithm(accepted, asked, demand?.algorithms);
  const salt = randomHex(algorithm.saltBytes, random);
  const terms = algorithm.newTerms?.(exchange, options.pow.nonces_per_function);
  return { algorithm, salt, ...(terms && { terms }) };
}

/**
 * Returns the counter key of the client, the slot tag of its tokens, the factor of its limits, and the pseudonym of its
 * address for the record, which is null without `bind_ip`.
 */
export function issuingAddress(deps: IssuerDependencies, address: string | null) {
  const { options, ring } = deps;
  const factor = deps.factorOf?.(address) ?? 1;
  const limit = scaledLimit(deps.limit, factor);
  const { address: pseudonym, networks, tag } = addressPseudonyms(ring.current, address ?? NO_ADDRESS);
  return {
    client: { address: pseudonym, networks, limit },
    tag,
    factor,
    bound: options.bind_ip && address !== null ? pseudonym : null,
  };
}

function scaledLimit(limit: RequestLimit, factor: number): RequestLimit {
  if (factor === 1) return limit;
  const { max, windowMs, networkMax } = limit;
  const networks = networkMax && ([networkMax[0] * factor, networkMax[1] * factor] as const);
  return { max: max * factor, windowMs, ...(networks && { networkMax: networks }) };
}

/**
 * Returns the terms from which the store computes the difficulty.
 * @param factor times the requests of the address that raise its price
 * @param raised bits to add to the floor. The record keeps the floor without them, so that earlier work stays sufficient
 */
export function workTerms(
  { pow, escalation }: CaptchaOptions,
  priced: PricedScope | null,
  factor: number,
  raised = 0,
) {
  const failures = priced?.failures ?? 0;
  return {
    terms: {
      floor: pow.difficulty + raised,
      ceiling: pow.max_difficulty,
      failureStep: pow.escalate ? pow.step : 0,
      volumeStep: pow.volume.step,
      volumeEvery: pow.volume.every * factor,
    },
    failures,
    // Without an account, a ticket does not replace the price that the address remembers.
    hasTicket: priced !== null && priced.scope !== null,
    volumeMs: escalation.decay * 1000,
  };
}
