// Hears what becomes of the submissions to one host, for its figures and its audit stream.

import type { FailedVerdict, GivenProof, SubmissionVerifier } from './verification.js';

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

/** The same checker, with somebody who hears its verdicts. */
export function observed(
  checker: SubmissionVerifier,
  observer: ChallengeObserver,
  keyed: {
    readonly account: (key: string) => string;
    readonly address: (ip: string | undefined) => string | undefined;
  },
): SubmissionVerifier {
  const unknown = { account: undefined, address: undefined, isReplay: false };
  return {
    ...checker,
    checkShape(submission, deps) {
      const malformed = checker.checkShape(submission, deps);
      if (malformed !== null) observer.refused(malformed, unknown);
      return malformed;
    },
    recheck(given, failures) {
      const outdated = checker.recheck(given, failures);
      if (outdated !== null) observer.refused(outdated, unknown);
      return outdated;
    },
    async verify(submission, context) {
      let isReplay = false;
      const verdict = await checker.verify(submission, context, () => {
        isReplay = true;
      });
      if (verdict.ok) observer.solved(verdict.given);
      else {
        const key = context.account?.key;
        const account = key === undefined ? undefined : keyed.account(key);
        observer.refused(verdict, { account, address: keyed.address(context.ip), isReplay });
      }
      return verdict;
    },
  };
}
