// Reports the verdicts on the submissions to one application, for its metrics and its audit stream.

import type { CheckedPass, FailedVerdict, GivenProof, SubmissionVerifier } from './verification.js';

/** A submission as observers may see it: pseudonyms only. */
export interface ObservedSubmission {
  /** Pseudonym of the attempted account. */
  readonly account: string | undefined;
  /** Pseudonym of the client's address. */
  readonly address: string | undefined;
  /** Whether one of its challenges was already consumed. */
  readonly isReplay: boolean;
}

/** Receives verdicts. Its methods must not throw or block. */
export interface ChallengeObserver {
  /** A submission passed. It may still be refused if its account has failed too often meanwhile. */
  solved(given: GivenProof): void;
  /** A submission was refused. */
  refused(verdict: FailedVerdict, submission: ObservedSubmission): void;
  /** A pass was presented, and accepted or refused; the verdict on its submission follows. */
  presented?(pass: CheckedPass, submission: ObservedSubmission): void;
}

/** Returns the same verifier, which also reports its verdicts to the observer. */
export function observed(
  verifier: SubmissionVerifier,
  observer: ChallengeObserver,
  pseudonymOf: {
    readonly account: (key: string) => string;
    readonly address: (ip: string | undefined) => string | undefined;
  },
): SubmissionVerifier {
  const unknown = { account: undefined, address: undefined, isReplay: false };
  return {
    ...verifier,
    checkShape(submission, required) {
      const malformed = verifier.checkShape(submission, required);
      if (malformed !== null) observer.refused(malformed, unknown);
      return malformed;
    },
    recheck(given, failures) {
      const outdated = verifier.recheck(given, failures);
      if (outdated !== null) observer.refused(outdated, unknown);
      return outdated;
    },
    async verify(submission, context) {
      let isReplay = false;
      const about = (): ObservedSubmission => {
        const key = context.account?.key;
        const account = key === undefined ? undefined : pseudonymOf.account(key);
        return { account, address: pseudonymOf.address(context.ip), isReplay };
      };
      const onReplay = () => {
        isReplay = true;
      };
      const onPass = (pass: CheckedPass) => observer.presented?.(pass, about());
      const verdict = await verifier.verify(submission, context, onReplay, onPass);
      if (verdict.ok) observer.solved(verdict.given);
      else observer.refused(verdict, about());
      return verdict;
    },
  };
}
