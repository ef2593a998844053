// The store operations for challenges: each is one atomic step on the store's own clock.

import type { PriceTerms } from '../../pow/price.js';
import type { Counted } from '../../store/request-counter.js';
import type { PassOutcome, PresentedPass, StoredPass } from '../attempts/pass.js';

/** The endpoints that issue challenges; the second issues captchas and effort. */
export type ChallengeEndpoint = 'pow' | 'image';

/** Limits the requests of an address, and of its wider networks, in a window that begins with the first. */
export interface RequestLimit {
  readonly max: number;
  readonly windowMs: number;
  /** Requests of a /56 and of a /48 in the same window; unlimited by default. */
  readonly networkMax?: readonly [number, number];
}

/** The store's input for issuing a challenge. `address` and `networks` are pseudonyms. */
interface Issue {
  readonly token: string;
  readonly address: string;
  /** The /56 and the /48 of an IPv6 address. */
  readonly networks?: readonly string[];
  readonly limit: RequestLimit;
  /** Minimum lifetime of the record. */
  readonly expireSeconds: number;
}

/** The store's input for issuing work, a proof of work or effort. */
interface WorkIssue extends Issue {
  readonly terms: PriceTerms;
  /** Failures of the account named by a scope ticket; 0 without one. */
  readonly failures: number;
  /** Whether a ticket names the account; if so, the price remembered by the address does not count. */
  readonly hasTicket?: boolean;
  /** How long requests of an address count for its price. */
  readonly volumeMs: number;
}

/** The store's input for issuing a proof of work. */
export interface PowIssue extends WorkIssue {
  /** The record from its third field on (`encodePowTail`). */
  readonly recordTail: string;
  readonly expireGrows: boolean;
  /** Lowest difficulty in bits, whatever the price; 0 by default. */
  readonly least?: number;
}

/** The store's input for issuing effort. */
export interface EffortIssue extends WorkIssue {
  /** Bits of the total work beyond the price: `effort.bits`. */
  readonly bits: number;
  /** Returns the record for parts of this difficulty, from its second field on (`encodeVerifiedTail`). */
  readonly recordTail: (partDifficulty: number | string) => string;
}

/** The store's input for issuing a captcha. */
export interface ImageIssue extends Issue {
  /** The record from its second field on (`encodeVerifiedTail`). */
  readonly recordTail: string;
}

/** The result of issuing. A request over the limit is counted in its window and nothing else is recorded. */
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

/** The store's input for redeeming a proof of work. */
export interface Redemption {
  readonly powToken: string;
  readonly claim: string;
  /** Identifies the receipt; begins with the slot tag of `powToken`. */
  readonly receiptToken: string;
  /** The record of the receipt from its second field on; the store puts the time before it. */
  readonly receiptTail: string;
  readonly receiptSeconds: number;
  /** Called if another claim has consumed the work. */
  readonly onConsumed?: (() => void) | undefined;
}

/** Consumable entries: a challenge, or the receipt of redeemed work. */
export type Consumable = ChallengeEndpoint | 'receipt';

/** Options of `take`. */
export interface TakeOptions {
  /** Records that are not consumed and return null: `answer`, or `verify:` and the name of a type. */
  readonly exempt?: readonly string[] | undefined;
  /** Called if another claim has consumed the challenge. */
  readonly onConsumed?: (() => void) | undefined;
}

/** A consumed record, with the store's time of the first consumption by its claim. */
export interface Taken {
  readonly record: string;
  readonly takenAtMs: number;
}

/** The failures of an account, and the remaining delay of its pair with an address. */
export interface AttemptStatus {
  readonly failures: number;
  readonly waitMs: number;
}

/** The counters of an attempt. Without `address` no pair waits. */
export interface AttemptCount {
  readonly account: string;
  readonly address?: string;
  readonly claim: string;
  readonly decayMs: number;
  /**
   * With this many failures before it the attempt is rejected and not counted: counting it and withdrawing it afterwards
   * would meanwhile raise the price for others.
   */
  readonly refusedFrom?: number;
}

/** The operations of a challenge store besides passes. */
export type ChallengeOperations = Omit<ChallengeStore, keyof PassStore>;

/**
 * Challenges and counters in the store. Each method is one atomic step and throws StoreUnavailableError if the store does
 * not respond.
 */
export interface ChallengeStore extends PassStore {
  /** Counts the request for its limit and for its price, prices the work and records it. */
  issuePow(issue: PowIssue): Promise<Issued>;
  /**
   * The same for effort. Requests count for the limit of captchas, and for the price together with those for proofs of work.
   */
  issueEffort(issue: EffortIssue): Promise<Issued>;
  /** Counts the request for its limit and records the captcha. */
  issueImage(issue: ImageIssue): Promise<Issued>;
  /**
   * Records a captcha under a token chosen by a page, unless that token has a record. Returns the current record; null if it
   * has been consumed. Counts no request.
   */
  recordImage(image: Pick<ImageIssue, 'token' | 'recordTail' | 'expireSeconds'>): Promise<string | null>;
  /** Returns the record of a captcha that is live and not consumed. */
  readImage(token: string): Promise<string | null>;
  /**
   * Consumes a challenge (docs/decisions/spending.md): returns a live record and marks it consumed by `claim`. If the same
   * claim has consumed it before, returns the record with the time of the first. Returns null for anything else.
   */
  take(kind: Consumable, token: string, claim: string, asked?: TakeOptions): Promise<Taken | null>;
  /**
   * Consumes a proof of work as `take` does and, in the same step, records a receipt with the time of the take. The receipt
   * is recorded before the nonce is verified, so hand its token out only for valid work, and remove it otherwise.
   */
  redeem(redemption: Redemption): Promise<Taken | null>;
  /** Removes a receipt that was not handed out. */
  removeReceipt(receiptToken: string): Promise<unknown>;
  /**
   * Reads the status of an account and, optionally, of its pair with an address.
   * @param claim identifies an attempt that does not count, so that a repetition gets the same status as before
   */
  attemptStatus(
    account: string,
    address: string | undefined,
    decayMs: number,
    claim?: string,
  ): Promise<AttemptStatus>;
  /**
   * Counts an attempt as a failure and returns the failures before it. If the pair has to wait, `waitMs` is above zero and
   * nothing is counted; nor after `refusedFrom` failures.
   */
  countAttempt(count: AttemptCount): Promise<AttemptStatus>;
  /** Withdraws one counted attempt. */
  withdrawAttempt(account: string, address: string | undefined, claim: string): Promise<void>;
  /** Clears the failures of an account and, with an address, those of the pair. */
  clearFailures(account: string, address: string | undefined): Promise<void>;
  /**
   * Makes an address remember for `keepMs` that work without a ticket costs at least `bits`. The highest of several prices
   * counts.
   */
  rememberPrice(address: string, bits: number, keepMs: number): Promise<void>;
  /** Clears the price remembered by an address and, at most once per `decayMs`, its requests. */
  clearAddress(address: string, decayMs: number): Promise<void>;
}

/** Length of a window of pass uses, which begins with the first use, in milliseconds. */
export const PASS_WINDOW_MS = 60_000;

/** A pass presented to an application. */
export interface PassUse extends PresentedPass {
  readonly application: string;
  /** Identifies the request: the same one counts once. */
  readonly claim: string;
  /** How long a claim is remembered, in milliseconds. */
  readonly rememberMs: number;
}

/** Its outcome, and how long the pass stays exhausted; 0 otherwise. */
export interface UsedPass {
  readonly outcome: PassOutcome;
  readonly waitMs: number;
}

/** A new pass. */
export interface NewPass extends Omit<StoredPass, 'expiresAtMs'> {
  readonly lifetimeMs: number;
}

/** Passes in the store. Each method is one atomic step and throws StoreUnavailableError if the store does not respond. */
export interface PassStore {
  /**
   * Compares a pass with the stored hash, and counts the use unless the pass is used up in this minute. Only a valid, live
   * pass of this application counts.
   */
  usePass(use: PassUse): Promise<UsedPass>;
  /** Stores a new pass and drops expired ones. Returns its expiry; null if a live pass has its name. */
  makePass(pass: NewPass): Promise<number | null>;
  /** Returns all passes by name, possibly including expired ones. */
  listPasses(): Promise<StoredPass[]>;
  /** Removes a pass, which is rejected from then on. Returns whether there was one. */
  revokePass(name: string): Promise<boolean>;
}
