// The account that a guarded request attempts, with the failures that its challenges are verified against.

import type { FastifyRequest } from 'fastify';
import { PASS_HEADER } from '../../challenges/attempts/pass.js';
import type { ChallengeVerifier } from '../../challenges/challenge-verifier.js';
import type { FormRules } from '../../challenges/form-rules.js';
import { offersImage } from '../../challenges/submission.js';
import type { AttemptedAccount, ImageRequirement } from '../../challenges/verification.js';
import { challengeError } from './challenge-refusal.js';
import { findAccountKey } from './find-account-key.js';
import { challengeFieldsOf, requirementsFor, throttleError } from './guarded-attempt.js';
import type { PowGuard } from './guards.js';

/** What a route requires of its submissions. */
interface RouteRules {
  readonly work: PowGuard | undefined;
  readonly image: ImageRequirement;
  readonly rules: FormRules;
}

/**
 * Finds the account of a request. With `throttle` it refuses an account that must wait, before any challenge is spent.
 * The failures of a known device are not read: counting the attempt rechecks its challenges against them.
 * @returns undefined if the route has no key or the request names no account
 * @throws ValidationFailed, LoginThrottled, and the refusal of malformed challenges; StoreUnavailableError
 */
export async function findAttemptedAccount(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
  { work, image, rules }: RouteRules,
): Promise<AttemptedAccount | undefined> {
  const key = work?.key === undefined ? undefined : await findAccountKey(work.key, request);
  if (work === undefined || key === undefined) return undefined;
  const { throttle = false, device: deviceOf } = work;
  if (!throttle && deviceOf === undefined) return verifier.attemptedAccount(key);
  const malformed = verifier.checkShape(challengeFieldsOf(request), {
    ...{ pow: true, image, minDifficulty: rules.minDifficulty, algorithms: rules.algorithms },
    pass: request.headers[PASS_HEADER],
  });
  if (malformed !== null)
    throw await challengeError(request, verifier, malformed, { key, failures: 0 }, rules);
  const device = await deviceOf?.(request);
  if (device !== undefined) return { key, device, failures: 0 };
  if (!throttle) return verifier.attemptedAccount(key);
  const { failures, waitMs } = await verifier.attemptStatus(key, request.ip);
  if (waitMs > 0) throw throttleError(waitMs, await requirementsFor(request, verifier));
  return { key, failures };
}

/**
 * Returns the account as the refusal of its challenges states the next attempt. The failures of a known device are still
 * unread; if it sent an image, an earlier refusal has asked it for one.
 */
export function refusedAccount(
  request: FastifyRequest,
  { options }: ChallengeVerifier,
  account: AttemptedAccount | undefined,
): AttemptedAccount | undefined {
  if (account?.device === undefined || !offersImage(challengeFieldsOf(request))) return account;
  return { ...account, failures: options.escalation.after };
}
