// The content of a submission, the context of its verification, and the verdict.

import { createHmac } from 'node:crypto';
import type { AcceptedAlgorithms } from '../pow/algorithms.js';
import type { IssuedWork } from '../pow/sufficiency.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { isToken } from '../schemas/names.js';
import type { PassOutcome } from './attempts/pass.js';
import type { RefusalReason } from './verify-record.js';

/** The configured names of the fields. */
export interface FieldNames {
  readonly pow: { readonly token: string; readonly nonce: string };
  readonly image: { readonly token: string; readonly answer: string };
}

/** The field values as sent; undefined for a missing field. */
export interface Submission {
  readonly powToken?: unknown;
  readonly powNonce?: unknown;
  readonly imageToken?: unknown;
  readonly imageAnswer?: unknown;
}

/** A mistake in a field, as a key of the message catalogue. */
type FieldProblem =
  | 'required'
  | 'malformed'
  | 'wrong_work'
  | 'insufficient_work'
  | 'work_too_easy'
  | 'wrong_algorithm'
  | 'wrong_answer'
  | 'wrong_preset';

/** Mistakes by the field's configured name. */
export type FieldProblems = Readonly<Record<string, readonly FieldProblem[]>>;

/** Copies the challenge fields from a body; a body that is not an object has none. */
export function submissionFrom(body: unknown, names: FieldNames): Submission {
  if (typeof body !== 'object' || body === null) return {};
  const field = (name: string): unknown =>
    Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
  return {
    powToken: field(names.pow.token),
    powNonce: field(names.pow.nonce),
    imageToken: field(names.image.token),
    imageAnswer: field(names.image.answer),
  };
}

/** Returns whether any captcha field is filled in; a plain form sends the others as empty strings. */
export function offersImage(submission: Submission): boolean {
  return !isAbsent(submission.imageToken) || !isAbsent(submission.imageAnswer);
}

/** Returns whether neither work field is filled in, as in a form without JavaScript. */
export function offersNoWork({ powToken, powNonce }: Submission): boolean {
  return isAbsent(powToken) && isAbsent(powNonce);
}

/** Returns whether an image may replace work, for pages without JavaScript. */
export function mayReplaceWork({ no_script, pow }: CaptchaOptions): boolean {
  return no_script === 'image' && pow.enabled;
}

/** Returns the mistakes in the work fields; null if both are well-formed. */
export function powProblems(
  submission: Submission,
  names: FieldNames,
  accepted: AcceptedAlgorithms,
): FieldProblems | null {
  const { powToken, powNonce } = submission;
  const isWork = (value: unknown) =>
    typeof value === 'string' && accepted.some(({ algorithm }) => algorithm.isSolution(value));
  if (isToken(powToken) && isWork(powNonce)) return null;
  return {
    ...problem(names.pow.token, powToken, isToken),
    ...problem(names.pow.nonce, powNonce, isWork),
  };
}

/**
 * Returns the mistakes in the captcha fields; null if both are well-formed. A blank answer is malformed.
 * @param longest longest accepted answer, in characters
 */
export function imageProblems(
  submission: Submission,
  names: FieldNames,
  longest: number,
): FieldProblems | null {
  const isAnswer = (value: unknown) =>
    typeof value === 'string' && value.length <= longest && value.trim() !== '';
  if (isToken(submission.imageToken) && isAnswer(submission.imageAnswer)) return null;
  return {
    ...problem(names.image.token, submission.imageToken, isToken),
    ...problem(names.image.answer, submission.imageAnswer, isAnswer),
  };
}

function problem(name: string, value: unknown, hasForm: (value: unknown) => boolean): FieldProblems {
  if (isAbsent(value)) return { [name]: ['required'] };
  return hasForm(value) ? {} : { [name]: ['malformed'] };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A submission for verification. */
interface ApplicationSubmission {
  /** Name of the application, so that a retry of another application cannot consume the challenge again. */
  readonly application: string;
  readonly submission: Submission;
  readonly key?: string | undefined;
  readonly ip?: string | undefined;
}

/**
 * Returns the claim of a submission that an application may retry: HMAC-SHA256(idempotency key, submission) cut to 128 bits,
 * as 32 hexadecimal digits (docs/decisions/spending.md). Equal claims get equal verdicts; another account, address or answer
 * with the same idempotency key makes another claim.
 */
export function idempotentClaim(
  idempotencyKey: string,
  { application, submission, key, ip }: ApplicationSubmission,
): string {
  const { powToken, powNonce, imageToken, imageAnswer } = submission;
  // JSON writes a missing value as null and each text in quotes, so different submissions have different texts.
  const text = JSON.stringify([application, powToken, powNonce, imageToken, imageAnswer, key, ip]);
  return createHmac('sha256', idempotencyKey).update(text).digest('hex').slice(0, 32);
}

/**
 * How a captcha is treated: `required` by the form, `demanded` and verified after the work, `escalating` if demanded once
 * the account has failed `escalation.after` times, `offered` if verified only when present.
 */
export type ImageRequirement = 'required' | 'demanded' | 'escalating' | 'offered' | 'ignored';

/** The challenges that a submission requires. */
export interface RequiredChallenges {
  readonly pow: boolean;
  readonly image: ImageRequirement;
  /** Lowest accepted difficulty of work in bits, whatever the account. If set, no image replaces the work. */
  readonly minDifficulty?: number | undefined;
  /** Names of the accepted algorithms of work and effort; all by default. If set, no image replaces the work. */
  readonly algorithms?: readonly string[] | undefined;
  /** The pass presented in place of work, unparsed; none if missing or empty. */
  readonly pass?: unknown;
}

/** A client that has logged in to the account before: its failures are counted separately. */
export interface KnownDevice {
  /** The key under which its failures are counted. No account may have the same key. */
  readonly key: string;
  /** Failures within `escalation.decay`, 1 to 100, after which its attempts count for the account. */
  readonly budget: number;
}

/** The attempted account, and its failures before this attempt; a function is called after valid work. */
export interface AttemptedAccount {
  readonly key: string;
  /** The known device of the attempt; the failures are then those of the device. */
  readonly device?: KnownDevice | undefined;
  readonly failures: number | (() => Promise<number>);
}

/** Returns the counter key of an attempt on this account. */
export function countedKey({ key, device }: Pick<AttemptedAccount, 'key' | 'device'>): string {
  return device?.key ?? key;
}

/** Returns the failures of an attempted account; 0 without one. */
export async function failuresOf(account: AttemptedAccount | undefined): Promise<number> {
  if (account === undefined) return 0;
  return typeof account.failures === 'number' ? account.failures : account.failures();
}

/** The context of a verification. */
export interface VerifyContext extends RequiredChallenges {
  /** The client's address as Fastify reports it. */
  readonly ip: string | undefined;
  readonly account?: AttemptedAccount | undefined;
  /** Names of the accepted presets; all by default. */
  readonly presets?: readonly string[] | undefined;
  /** Identifies the request that consumes the challenges: equal claims get equal verdicts. 128 random bits by default. */
  readonly claim?: string | undefined;
}

/** Verifies submissions for one application. */
export interface SubmissionVerifier {
  readonly fieldNames: FieldNames;
  /** Checks the form of the fields without reading the store. */
  checkShape(submission: Submission, required: RequiredChallenges): FailedVerdict | null;
  /**
   * Verifies a submission. It consumes each challenge it reads; invalid work never consumes an image.
   * @param onReplay called if a challenge was consumed before
   * @param onPass called with the outcome of a well-formed pass
   */
  verify(
    submission: Submission,
    context: VerifyContext,
    onReplay?: () => void,
    onPass?: (pass: CheckedPass) => void,
  ): Promise<Verdict>;
  /** Verifies the given challenges again, now that the account has `failures`; null if they still suffice. */
  recheck(given: GivenProof, failures: number): FailedVerdict | null;
  /** Returns the number of failures that make the given challenges insufficient, at most one more than the store keeps. */
  refusedFrom(given: GivenProof): number;
}

/** Why a submission fails: a code on the wire. */
export type VerdictCode =
  | 'pow_invalid'
  | 'pow_insufficient'
  | 'captcha_invalid'
  | 'captcha_required'
  | 'preset_refused'
  | 'pass_invalid'
  | 'pass_exhausted';

/** A submission that fails. `reason` is for the log. */
export interface FailedVerdict {
  readonly ok: false;
  readonly code: VerdictCode;
  readonly fields: FieldProblems;
  readonly reason: RefusalReason | 'malformed' | 'missing' | 'insufficient' | 'other_preset';
  /** How long the pass stays used up, in milliseconds. */
  readonly waitMs?: number;
  /** Whether the submission had neither work nor a right image. */
  readonly isUnproven?: true;
  /**
   * The algorithm of rejected work, as its record has it; missing if something else was rejected, or no record was found.
   */
  readonly algorithm?: string;
}

/** The outcome of a well-formed pass: its name, or why it was rejected. */
export type CheckedPass = { readonly ok: true; readonly name: string } | RefusedPass;

/** The verdict on a rejected pass. */
export interface RefusedPass extends FailedVerdict {
  readonly outcome: Exclude<PassOutcome, 'passed'>;
  /** Its name, if such a pass exists. */
  readonly pass?: string;
}

/** The challenges of a passing submission, so that they can be verified again after more failures. */
export interface GivenProof {
  /** Null if no work was verified. */
  readonly work: (IssuedWork & { readonly algorithm: string }) | null;
  /** The name of the pass that replaced work. */
  readonly pass?: string;
  readonly image: boolean;
  /** Returns whether the captcha, or its replacement, suffices for an account with this many failures. */
  isImageStillEnough(failures: number): boolean;
}

/** The verdict on a submission. */
export type Verdict = { readonly ok: true; readonly given: GivenProof } | FailedVerdict;

/**
 * Returns whether a failed submission had valid work. Only then may the response mention the account, so that nobody learns
 * about accounts without working.
 */
export function hasRightWork({ code, reason, isUnproven }: FailedVerdict): boolean {
  if (code === 'pass_invalid' || code === 'pass_exhausted') return false;
  return isUnproven !== true && code !== 'pow_invalid' && reason !== 'malformed';
}

/** Returns a failed verdict about one field. */
export function failed(
  code: VerdictCode,
  field: string,
  problem: FieldProblem,
  reason: FailedVerdict['reason'],
): FailedVerdict {
  return { ok: false, code, fields: { [field]: [problem] }, reason };
}

/** Returns the verdict on a missing captcha. It names both fields, because a person fills in the answer. */
export function imageMissing({ image }: FieldNames): FailedVerdict {
  const fields: FieldProblems = { [image.token]: ['required'], [image.answer]: ['required'] };
  return { ok: false, code: 'captcha_required', fields, reason: 'missing' };
}

/** Returns the verdict on malformed fields; null if all are well-formed. */
export function malformed(work: FieldProblems | null, image: FieldProblems | null): FailedVerdict | null {
  if (work === null && image === null) return null;
  const code = work === null ? 'captcha_invalid' : 'pow_invalid';
  return { ok: false, code, fields: { ...work, ...image }, reason: 'malformed' };
}
