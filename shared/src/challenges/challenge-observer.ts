// Hears what becomes of the submissions to one host, for its figures and its audit stream.

import type { FailedVerdict, GivenProof } from './verdict.js';

/** A submission as it may be told of: keyed names only. */
export interface ObservedSubmission {
  /** Keyed name of the account that was tried. */
  readonly account: string | undefined;
  /** Keyed address of the client. */
  readonly address: string | undefined;
  /** Whether one of its challenges had been spent before. */
  readonly isReplay: boolean;
}

/** Must not throw, and must not wait. */
export interface ChallengeObserver {
  /** A submission passed. Its account may still turn out to have failed too often meanwhile. */
  solved(given: GivenProof): void;
  /** A submission was refused. */
  refused(verdict: FailedVerdict, submission: ObservedSubmission): void;
}
