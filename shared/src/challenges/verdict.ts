// The verdict over a submission, as a host hears it.

import type { IssuedWork } from '../pow/sufficiency.js';
import type { FieldNames, FieldProblem, FieldProblems } from './submission.js';
import type { RefusalReason } from './verify-record.js';

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
