// The operations on the store that challenges need: each is one atomic step on the store's own clock.

import type { PriceTerms } from '../pow/price.js';
import type { Counted } from '../store/request-counter.js';

/** The kinds of challenge. */
export type ChallengeKind = 'pow' | 'image';

/** How many requests an address may make in a window of `windowMs` that begins with the first. */
export interface RequestLimit {
  readonly max: number;
  readonly windowMs: number;
}

/** What issuing a proof of work asks of the store. `address` and `token` as they enter the store. */
export interface PowIssue {
  readonly token: string;
  readonly address: string;
  readonly limit: RequestLimit;
  /** The record's line from its third field on (`powLineTail`). */
  readonly lineTail: string;
  readonly terms: PriceTerms;
  /** Failures of the account named by a scope ticket; 0 without one. */
  readonly failures: number;
  /** How long requests of an address are counted for its price. */
  readonly volumeMs: number;
  readonly expireSeconds: number;
  readonly expireGrows: boolean;
}

/** What issuing an image asks of the store. */
export interface ImageIssue {
  readonly token: string;
  readonly address: string;
  readonly limit: RequestLimit;
  /** The record's line from its second field on (`kindLineTail`). */
  readonly lineTail: string;
  readonly expireSeconds: number;
}

/** Refused by the limit, nothing is recorded but the request in its window. */
export type Issued =
  | { readonly allowed: false; readonly limit: Counted }
  | {
      readonly allowed: true;
      readonly limit: Counted;
      readonly nowMs: number;
      /** Bits; 0 for an image. */
      readonly difficulty: number;
      readonly lifetimeSeconds: number;
    };

/** A record taken from the store, with the store's time when its claim took it first. */
export interface Taken {
  readonly line: string;
  readonly takenAtMs: number;
}

/** Where an account stands. `waitMs` is what the pair of account and address still has to wait. */
export interface Standing {
  readonly failures: number;
  readonly waitMs: number;
}

/** What a try is counted on. `address` is left out where no pair is to wait. */
export interface TryCount {
  readonly account: string;
  readonly address?: string;
  readonly claim: string;
  readonly decayMs: number;
  /**
   * Failures before this try from which it is refused, and not counted: an entry that is taken back afterwards would
   * have raised the price of others meanwhile.
   */
  readonly refusedFrom?: number;
}

/** Challenges and counters in the common store. Every method throws StoreUnavailableError when the store is away. */
export interface ChallengeStore {
  /** Counts the request against its limit and for its price, prices the work and records it. */
  issuePow(issue: PowIssue): Promise<Issued>;
  /** Counts the request against its limit and records the image. */
  issueImage(issue: ImageIssue): Promise<Issued>;
  /** The line of an image that is live and not spent. */
  readImage(token: string): Promise<string | null>;
  /**
   * Spends a challenge (decisions 2.3, "Spending"): a live one is marked spent by `claim` and returned; one spent by
   * the same claim is returned again with the time of the first; anything else is null.
   * @param onSpent told when another claim has spent it
   */
  take(kind: ChallengeKind, token: string, claim: string, onSpent?: () => void): Promise<Taken | null>;
  /** Where an account, and optionally the pair with an address, stands; changes nothing. */
  standing(account: string, address: string | undefined, decayMs: number): Promise<Standing>;
  /**
   * Counts a try as a failure and returns the number before it. A pair that has to wait is refused: nothing is
   * counted and `waitMs` is above zero. Nor is a try counted that finds `refusedFrom` failures before it.
   */
  countTry(count: TryCount): Promise<Standing>;
  /** Takes back one counted try. */
  withdrawTry(account: string, address: string | undefined, claim: string): Promise<void>;
  /** Forgets an account's failures and, with an address, the pair's. */
  clearFailures(account: string, address: string | undefined): Promise<void>;
  /** Forgets an address's requests, at most once per `decayMs`. */
  clearVolume(address: string, decayMs: number): Promise<void>;
  /** Removes what has expired, where the store does not do that itself, and says how many. */
  prune(): Promise<number>;
}
