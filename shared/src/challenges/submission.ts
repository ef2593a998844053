// The challenge fields of a submission: their form, which is checked before the store is read, and their claim.

import { createHmac } from 'node:crypto';
import type { AcceptedAlgorithms } from '../pow/algorithms.js';
import { isNonce } from '../pow/difficulty.js';
import { isHashwxSolution } from '../pow/hashwx/work.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { isToken } from '../schemas/names.js';

/** The configured names of the fields. */
export interface FieldNames {
  readonly pow: { readonly token: string; readonly nonce: string };
  readonly image: { readonly token: string; readonly answer: string };
}

/** The values of the fields as they were sent; undefined for a missing field. */
export interface Submission {
  readonly powToken?: unknown;
  readonly powNonce?: unknown;
  readonly imageToken?: unknown;
  readonly imageAnswer?: unknown;
}

/** What is wrong with a field, as a key of the message catalogue. */
export type FieldProblem =
  | 'required'
  | 'malformed'
  | 'wrong_work'
  | 'insufficient_work'
  | 'work_too_easy'
  | 'wrong_algorithm'
  | 'wrong_answer'
  | 'wrong_preset';

/** Problems by the field's configured name. */
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

/** Returns whether any captcha field is filled in; a plain form sends the others as empty texts. */
export function offersImage(submission: Submission): boolean {
  return !isAbsent(submission.imageToken) || !isAbsent(submission.imageAnswer);
}

/** Returns whether neither field of the work is filled in: what a form sends without JavaScript. */
export function offersNoWork({ powToken, powNonce }: Submission): boolean {
  return isAbsent(powToken) && isAbsent(powNonce);
}

/** Returns whether an image may replace work, for pages without JavaScript. */
export function mayReplaceWork({ no_script, pow }: CaptchaOptions): boolean {
  return no_script === 'image' && pow.enabled;
}

/** Returns the problems of the fields of the work; null if both are well-formed. */
export function powProblems(
  submission: Submission,
  names: FieldNames,
  { hashwx }: AcceptedAlgorithms,
): FieldProblems | null {
  const { powToken, powNonce } = submission;
  const isWork = (value: unknown) =>
    typeof value === 'string' && (isNonce(value) || (hashwx !== null && isHashwxSolution(value)));
  if (isToken(powToken) && isWork(powNonce)) return null;
  return {
    ...problem(names.pow.token, powToken, isToken),
    ...problem(names.pow.nonce, powNonce, isWork),
  };
}

/**
 * Returns the problems of the fields of the captcha; null if both are well-formed. A blank answer is malformed.
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

/** What an application sent for verification. */
export interface ApplicationSubmission {
  /** Name of the application, so that a retry of another application cannot consume the challenge again. */
  readonly application: string;
  readonly submission: Submission;
  readonly key?: string | undefined;
  readonly ip?: string | undefined;
}

/**
 * Returns the claim of a submission that an application may send again: HMAC-SHA256(idempotency key, submission) cut to
 * 128 bits, as 32 hexadecimal digits (docs/decisions/spending.md). Equal claims get equal verdicts; another account,
 * address or answer with the same idempotency key makes another claim.
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
