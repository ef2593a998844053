// The answer to a submission whose challenges fail.

import type { FastifyRequest } from 'fastify';
import type { ChallengeVerifier } from '../../challenges/challenge-verifier.js';
import { type FormRules, requirementsOf } from '../../challenges/form-rules.js';
import type { AttemptedAccount, FailedVerdict } from '../../challenges/verification.js';
import { type Language, messageIn } from '../../messages/messages.js';
import {
  CaptchaInvalid,
  CaptchaRequired,
  PowInsufficient,
  PowInvalid,
  PresetRefused,
} from '../errors/challenge-errors.js';
import { refuse } from '../errors/errors.js';
import { textsOf } from '../errors/send-error.js';

const ERRORS = {
  pow_invalid: PowInvalid,
  pow_insufficient: PowInsufficient,
  captcha_invalid: CaptchaInvalid,
  captcha_required: CaptchaRequired,
  preset_refused: PresetRefused,
};

/** The coded error of a failed verdict, with its fields and whatever else its body is to say. */
export function refusalOf(verdict: FailedVerdict, body: Record<string, unknown> = {}): Error {
  return refuse(ERRORS[verdict.code], { fields: verdict.fields, body });
}

/**
 * The same with what it says about the next attempt, and a line in the log.
 * @param account asked for its failures only if the submission had right work
 * @throws StoreUnavailableError
 */
export async function challengeRefused(
  request: FastifyRequest,
  host: ChallengeVerifier,
  verdict: FailedVerdict,
  account: AttemptedAccount | undefined,
  rules: FormRules = {},
): Promise<Error> {
  request.log.info({ code: verdict.code, reason: verdict.reason }, 'challenge refused');
  const submission = request.challengeFields ?? {};
  const next = await host.nextAttemptAfter(verdict, { submission, account, ip: request.ip });
  return refusalOf(verdict, { ...requirementsOf(next, rules, host.options) });
}

/** What a failed verdict says to a program, in a language. */
export function explainVerdict({ code, fields }: FailedVerdict, language: Language) {
  return { message: messageIn(language, code), code, errors: textsOf(fields, language) };
}
