// What a submission is verified for, for whom, and by what.

import type { IssuedWork } from '../pow/sufficiency.js';
import type { FieldNames, FieldProblem, FieldProblems, Submission } from './submission.js';
import type { RefusalReason } from './verify-record.js';

/**
 * How an image is treated: `required` is part of the form's shape, `demanded` is judged after the work, `escalating` is
 * demanded once the account has failed `escalation.after` times, `offered` is judged only when it is there.
 */
export type ImageRequirement = 'required' | 'demanded' | 'escalating' | 'offered' | 'ignored';

/** Which challenges a submission is checked for. */
export interface RequiredChallenges {
  readonly pow: boolean;
  readonly image: ImageRequirement;
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

/** Why a submission fails, as a code on the wire. */
export type VerdictCode =
  | 'pow_invalid'
  | 'pow_insufficient'
  | 'captcha_invalid'
  | 'captcha_required'
  | 'preset_refused';

/** A submission that fails. `reason` is for the log. */
export interface FailedVerdict {
  readonly ok: false;
  readonly code: VerdictCode;
  readonly fields: FieldProblems;
  readonly reason: RefusalReason | 'malformed' | 'missing' | 'insufficient' | 'other_preset';
}

/** What a submission that passes has given, so that it can be judged again when failures have risen meanwhile. */
export interface GivenProof {
  /** Null when no work was checked. */
  readonly work: IssuedWork | null;
  readonly image: boolean;
  /** Whether what was given in the place of an image is enough for an account that has come to so many failures. */
  isImageStillEnough(failures: number): boolean;
}

/** The answer to a submission. */
export type Verdict = { readonly ok: true; readonly given: GivenProof } | FailedVerdict;

/**
 * Whether a submission that failed had right work all the same. Only then may its answer speak of the account: whoever
 * asks without working learns nothing.
 */
export function hasRightWork({ code, reason }: FailedVerdict): boolean {
  return code !== 'pow_invalid' && reason !== 'malformed';
}

/** A failed verdict about one field. */
export function failed(
  code: VerdictCode,
  field: string,
  problem: FieldProblem,
  reason: FailedVerdict['reason'],
): FailedVerdict {
  return { ok: false, code, fields: { [field]: [problem] }, reason };
}

/** The verdict where an image is demanded and none is there; a person fills in the answer, so it is told under both fields. */
export function imageMissing({ image }: FieldNames): FailedVerdict {
  const fields: FieldProblems = { [image.token]: ['required'], [image.answer]: ['required'] };
  return { ok: false, code: 'captcha_required', fields, reason: 'missing' };
}

/** The verdict on fields that do not have their form; null if all of them have. */
export function malformed(work: FieldProblems, image: FieldProblems): FailedVerdict | null {
  const fields = { ...work, ...image };
  if (Object.keys(fields).length === 0) return null;
  const code = Object.keys(work).length > 0 ? 'pow_invalid' : 'captcha_invalid';
  return { ok: false, code, fields, reason: 'malformed' };
}
