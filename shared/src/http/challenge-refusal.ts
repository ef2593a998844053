// The answer to a submission whose challenges fail.

import type { FailedVerdict } from '../challenges/verdict.js';
import { CaptchaInvalid, CaptchaRequired, PowInsufficient, PowInvalid } from './challenge-errors.js';
import { refuse } from './errors.js';

const ERRORS = {
  pow_invalid: PowInvalid,
  pow_insufficient: PowInsufficient,
  captcha_invalid: CaptchaInvalid,
  captcha_required: CaptchaRequired,
};

/** The coded error of a failed verdict, with its fields and whatever else its body is to say. */
export function refusalOf(verdict: FailedVerdict, body: Record<string, unknown> = {}): Error {
  return refuse(ERRORS[verdict.code], { fields: verdict.fields, body });
}
