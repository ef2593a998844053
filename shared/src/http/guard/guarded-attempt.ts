// A counted attempt on an account: what a guarded route counts before it looks at a password, and how it ends.

import type { FastifyRequest } from 'fastify';
import type { NextAttempt } from '../../challenges/attempts/next-attempt.js';
import type { ChallengeVerifier } from '../../challenges/challenge-verifier.js';
import { type FormRules, requirementsOf } from '../../challenges/form-rules.js';
import type { Submission } from '../../challenges/submission.js';
import type { GivenProof } from '../../challenges/verification.js';
import { LoginThrottled } from '../errors/challenge-errors.js';
import { refuse } from '../errors/errors.js';
import { challengeRefused } from './challenge-refusal.js';
import { noAccount } from './find-account-key.js';
import { formRules, type PowGuard, powGuardOf } from './guards.js';

/** An attempt that counts as a failure of its account until it is ended. A route that does neither leaves the failure. */
export interface GuardedAttempt {
  /** Failures of the account before this attempt. */
  readonly before: number;
  /** Names the attempt to `app.captcha.withdrawFailure`. */
  readonly id: string;
  /** The attempt succeeded: forgets the failures of the account, from this address too, and the price it remembers. */
  succeeded(): Promise<void>;
  /** Nobody has looked at what was submitted: takes the failure back. */
  withdraw(): Promise<void>;
}

/** What the guard of a request has found out. */
export interface PassedGuard {
  /** Undefined if the request names no account. */
  readonly key: string | undefined;
  readonly given: GivenProof;
  /** Failures of the account with this attempt, once it is counted. */
  readonly failures?: number;
}

/** The challenge fields of a request to a guarded route; none on any other route. */
export function challengeFieldsOf(request: FastifyRequest): Submission {
  return request.challengeFields ?? {};
}

/** The options of `pow` on the route of a request; undefined if the route has no `pow`. */
export function powRuleOf(request: FastifyRequest): PowGuard | undefined {
  return powGuardOf(request.routeOptions.config.guards ?? []);
}

/** What the forms of the route of a request demand. */
export function rulesOf(request: FastifyRequest): FormRules {
  return formRules(request.routeOptions.config.guards ?? []);
}

/**
 * Counts a request as a failed attempt, and refuses it if it must wait or if what it gave is too little by now: others
 * may have failed while its challenges were checked.
 * @throws LoginThrottled, PowInsufficient, CaptchaRequired; ValidationFailed if the request names no account;
 *   TypeError on a route without `pow({ key })`; StoreUnavailableError
 */
export async function countAttempt(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
): Promise<GuardedAttempt> {
  const { key, given } = request.passedGuard ?? {};
  if (key === undefined || given === undefined) throw uncountable(request);
  const ip = powRuleOf(request)?.throttle === true ? request.ip : undefined;
  const { before, waitMs, id, withdraw } = await verifier.countAttempt(key, ip, given);
  if (waitMs > 0) {
    const next = await verifier.nextAttempt(key, before, request.ip);
    throw throttled(waitMs, requirementsOf(next, rulesOf(request), verifier.options));
  }
  const outdated = verifier.recheck(given, before);
  if (outdated !== null) {
    throw await challengeRefused(request, verifier, outdated, { key, failures: before }, rulesOf(request));
  }
  request.passedGuard = { key, given, failures: before + 1 };
  return {
    before,
    id,
    withdraw,
    succeeded: () => verifier.clearFailures(key, request.ip),
  };
}

/**
 * The refusal of an account that has to wait at this address.
 * @param waitMs milliseconds; `Retry-After` says it in whole seconds
 * @param next what the next attempt needs
 */
export function throttled(waitMs: number, next: NextAttempt): Error {
  return refuse(LoginThrottled, {
    headers: { 'retry-after': Math.ceil(waitMs / 1000) },
    body: { ...next },
  });
}

/** A client that names no account has sent a wrong form; a route that looks for no account has a bug. */
function uncountable(request: FastifyRequest): Error {
  if (powRuleOf(request)?.key !== undefined && request.challengeVerdict !== null)
    return noAccount(request, 'the request names no account');
  return new TypeError('countAttempt() needs pow({ key }) on its route');
}

/**
 * What a failed answer says about the next attempt: of the account only to a request whose challenges have passed.
 * @throws StoreUnavailableError
 */
export async function requirementsFor(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
): Promise<NextAttempt> {
  return requirementsOf(await nextAttempt(request, verifier), rulesOf(request), verifier.options);
}

async function nextAttempt(request: FastifyRequest, verifier: ChallengeVerifier): Promise<NextAttempt> {
  if (request.passedGuard === null) {
    return verifier.nextAttemptUnproven(challengeFieldsOf(request), powRuleOf(request)?.key !== undefined);
  }
  const { key, failures } = request.passedGuard;
  if (key === undefined) return verifier.nextAttempt(undefined, 0, request.ip);
  return verifier.nextAttempt(key, failures ?? (await verifier.attemptStatus(key)).failures, request.ip);
}
