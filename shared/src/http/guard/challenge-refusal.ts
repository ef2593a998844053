// Turns a failed verdict on a submission into the error or the body that answers it.

import type { FastifyRequest } from 'fastify';
import type { ChallengeVerifier } from '../../challenges/challenge-verifier.js';
import { demandOf, type FormRules, requirementsOf } from '../../challenges/form-rules.js';
import type { Submission } from '../../challenges/submission.js';
import type { AttemptedAccount, FailedVerdict } from '../../challenges/verification.js';
import { type Language, messageIn } from '../../messages/messages.js';
import {
  CaptchaInvalid,
  CaptchaRequired,
  PassExhausted,
  PassInvalid,
  PowInsufficient,
  PowInvalid,
  PresetRefused,
  refuse,
} from '../errors/errors.js';
import { textsOf } from '../errors/send-error.js';

const ERRORS = {
  pow_invalid: PowInvalid,
  pow_insufficient: PowInsufficient,
  captcha_invalid: CaptchaInvalid,
  captcha_required: CaptchaRequired,
  preset_refused: PresetRefused,
  pass_invalid: PassInvalid,
  pass_exhausted: PassExhausted,
};

/**
 * Logs a failed verdict and returns the error to throw, with the requirements of the next attempt in its body.
 * @param account its failures are read only if the work of the submission was valid
 * @param submission the one that failed; by default what the guard has read
 * @throws StoreUnavailableError
 */
export async function challengeError(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
  verdict: FailedVerdict,
  account: AttemptedAccount | undefined,
  rules: FormRules = {},
  submission: Submission = request.challengeFields ?? {},
): Promise<Error> {
  request.log.info({ code: verdict.code, reason: verdict.reason }, 'challenge refused');
  const next = await verifier.nextAttemptAfter(verdict, {
    ...{ submission, account, ip: request.ip },
    demand: demandOf(rules),
  });
  const body = { ...requirementsOf(next, rules, verifier.options, submission) };
  const { code, fields, waitMs, reason } = verdict;
  const headers = waitMs === undefined ? {} : { 'retry-after': Math.ceil(waitMs / 1000) };
  return refuse(ERRORS[code], { fields, body, headers, reason });
}

/** Returns the body of a failed verdict in a language: `message`, `code` and `errors`. */
export function verdictBody({ code, fields }: FailedVerdict, language: Language) {
  return { message: messageIn(language, code), code, errors: textsOf(fields, language) };
}
