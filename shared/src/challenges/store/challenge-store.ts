// The operations on the store that challenges need: each is one atomic step on the store's own clock.

import type { PriceTerms } from '../../pow/price.js';
import type { Counted } from '../../store/request-counter.js';

/** The kinds of challenge. */
export type ChallengeEndpoint = 'pow' | 'image';

/** How many requests an address, and each of its wider networks, may make in a window that begins with the first. */
export interface RequestLimit {
  readonly max: number;
  readonly windowMs: number;
  /** Requests of a /56 and of a /48 in the same window; not limited when left out. */
  readonly networkMax?: readonly [number, number];
}

/** What issuing any challenge asks of the store. `token`, `address` and `networks` as they enter the store. */
interface Issue {
  readonly token: string;
  readonly address: string;
  /** The /56 and the /48 of an IPv6 address. */
  readonly networks?: readonly string[];
  readonly limit: RequestLimit;
  /** Least lifetime of the record. */
  readonly expireSeconds: number;
}

/** What issuing work asks of the store, a proof of work or effort. */
interface WorkIssue extends Issue {
  readonly terms: PriceTerms;
  /** Failures of the account named by a scope ticket; 0 without one. */
  readonly failures: number;
  /** Whether a ticket has named the account: the price that the address remembers does not count then. */
  readonly hasTicket?: boolean;
  /** How long requests of an address are counted for its price. */
  readonly volumeMs: number;
}

/** What issuing a proof of work asks of the store. */
export interface PowIssue extends WorkIssue {
  /** The record's line from its third field on (`powLineTail`). */
  readonly recordTail: string;
  readonly expireGrows: boolean;
}

/** What issuing effort asks of the store. */
export interface EffortIssue extends WorkIssue {
  /** Bits that the whole work has beyond the price: `effort.bits`. */
  readonly bits: number;
  /** The record's line for parts of this difficulty, from its second field on (`kindLineTail`). */
  readonly recordTail: (partDifficulty: number | string) => string;
}

/** What issuing an image asks of the store. */
export interface ImageIssue extends Issue {
  /** The record's line from its second field on (`kindLineTail`). */
  readonly recordTail: string;
}

/** Refused by the limit, nothing is recorded but the request in its window. */
export type Issued =
  | { readonly allowed: false; readonly limit: Counted }
  | {
      readonly allowed: true;
      readonly limit: Counted;
      readonly nowMs: number;
      /** Bits; of one part for effort, 0 for an image. */
      readonly difficulty: number;
      readonly lifetimeSeconds: number;
    };

/** What `take` does beyond spending. */
export interface TakeOptions {
  /** Records that stay unspent, and give null: `answer`, or `verify:` and the name of a kind. */
  readonly exempt?: readonly string[] | undefined;
  /** Told when another claim has spent the challenge. */
  readonly onConsumed?: (() => void) | undefined;
}

/** A record taken from the store, with the store's time when its claim took it first. */
export interface Taken {
  readonly record: string;
  readonly takenAtMs: number;
}

/** Where an account stands. `waitMs` is what the pair of account and address still has to wait. */
export interface AttemptStatus {
  readonly failures: number;
  readonly waitMs: number;
}

/** What a try is counted on. `address` is left out where no pair is to wait. */
export interface AttemptCount {
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
  /** The same for effort: its requests count against the limit of images, and for the price together with those for proofs of work. */
  issueEffort(issue: EffortIssue): Promise<Issued>;
  /** Counts the request against its limit and records the image. */
  issueImage(issue: ImageIssue): Promise<Issued>;
  /** The line of an image that is live and not spent. */
  readImage(token: string): Promise<string | null>;
  /**
   * Spends a challenge (decisions 2.3, "Spending"): a live one is marked spent by `claim` and returned; one spent by
   * the same claim is returned again with the time of the first; anything else is null.
   */
  take(kind: ChallengeEndpoint, token: string, claim: string, asked?: TakeOptions): Promise<Taken | null>;
  /**
   * Where an account, and optionally the pair with an address, stands; changes nothing.
   * @param claim names a try that does not count: a host that asks again after it was counted hears what it heard before
   */
  attemptStatus(
    account: string,
    address: string | undefined,
    decayMs: number,
    claim?: string,
  ): Promise<AttemptStatus>;
  /**
   * Counts a try as a failure and returns the number before it. A pair that has to wait is refused: nothing is
   * counted and `waitMs` is above zero. Nor is a try counted that finds `refusedFrom` failures before it.
   */
  countAttempt(count: AttemptCount): Promise<AttemptStatus>;
  /** Takes back one counted try. */
  withdrawAttempt(account: string, address: string | undefined, claim: string): Promise<void>;
  /** Forgets an account's failures and, with an address, the pair's. */
  clearFailures(account: string, address: string | undefined): Promise<void>;
  /**
   * Remembers for an address that work without a ticket costs at least so many bits, for `keepMs` from now; of several
   * prices the highest.
   */
  rememberPrice(address: string, bits: number, keepMs: number): Promise<void>;
  /** Forgets the price that an address remembers and, at most once per `decayMs`, its requests. */
  clearAddress(address: string, decayMs: number): Promise<void>;
}
