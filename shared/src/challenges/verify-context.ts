// What a submission is verified for, for whom, and by what.

import type { FieldNames, Submission } from './submission.js';
import type { FailedVerdict, GivenProof, Verdict } from './verdict.js';

/**
 * How an image is treated: `required` is part of the form's shape, `demanded` is judged after the work, `escalating` is
 * demanded once the account has failed `escalation.after` times, `offered` is judged only when it is there.
 */
export type ImageDemand = 'required' | 'demanded' | 'escalating' | 'offered' | 'ignored';

/** Which challenges a submission is checked for. */
export interface RequiredChallenges {
  readonly pow: boolean;
  readonly image: ImageDemand;
}

/** The account that is tried, and its failures before this try: a function is asked once the work has proved right. */
export interface AttemptedAccount {
  readonly key: string;
  readonly failures: number | (() => Promise<number>);
}

/** The failures of a tried account; 0 without one. */
export async function failuresOf(account: AttemptedAccount | undefined): Promise<number> {
  if (account === undefined) return 0;
  return typeof account.failures === 'number' ? account.failures : account.failures();
}

/** What is checked, and for whom. */
export interface VerifyContext extends RequiredChallenges {
  /** The client's address as the framework reports it. */
  readonly ip: string | undefined;
  readonly account?: AttemptedAccount | undefined;
  /** Names of the presets that are accepted; every one when left out. */
  readonly presets?: readonly string[] | undefined;
  /** The least bits of work that are accepted, whatever the account. */
  readonly minDifficulty?: number | undefined;
  /** Names the request that spends the challenges: equal claims get equal verdicts. 128 random bits by default. */
  readonly claim?: string;
}

/** Verifies submissions for one application. */
export interface SubmissionVerifier {
  readonly fieldNames: FieldNames;
  /** Checks the form of the fields; asks the store nothing. */
  checkShape(submission: Submission, required: RequiredChallenges): FailedVerdict | null;
  /**
   * Verifies a submission. It consumes each challenge it reads; failing work never consumes an image.
   * @param onReplay called if a challenge was consumed before
   */
  verify(submission: Submission, context: VerifyContext, onReplay?: () => void): Promise<Verdict>;
  /** Verifies again what was given, now that the account has `failures`; null if it is still enough. */
  recheck(given: GivenProof, failures: number): FailedVerdict | null;
  /** The number of failures from which what was given is too little, at most one more than are kept. */
  refusedFrom(given: GivenProof): number;
}
