// The attempt of a guarded request: its account, its rejections, and its count.

import type { FastifyRequest } from 'fastify';
import type { Demand } from '../../challenges/attempts/demand.js';
import type { NextAttempt } from '../../challenges/attempts/next-attempt.js';
import { PASS_HEADER } from '../../challenges/attempts/pass.js';
import type { ChallengeVerifier } from '../../challenges/challenge-verifier.js';
import { demandOf, type FormRules, requirementsOf } from '../../challenges/form-rules.js';
import {
  type AttemptedAccount,
  countedKey,
  type GivenProof,
  type ImageRequirement,
  type KnownDevice,
  offersImage,
  type Submission,
} from '../../challenges/submission.js';
import { waitForAnswer } from '../../store/store.js';
import { LoginThrottled, refuse } from '../errors/errors.js';
import { answerLimitOf } from '../server/answer-limit.js';
import { challengeError } from './guard-answers.js';
import {
  configuredGuards,
  findAccountKey,
  formRules,
  noAccountError,
  type PowGuard,
  powGuardOf,
} from './guards.js';

/**
 * An attempt on an account. It counts as a failure until the route calls `succeeded` or `withdraw`; both throw
 * StoreUnavailableError.
 */
export interface GuardedAttempt {
  /** Failures of the account before this attempt. */
  readonly before: number;
  /** Identifies the attempt for `app.captcha.withdrawFailure`. */
  readonly id: string;
  /**
   * How the attempt of a known device counts: `known` for the device, `spent` for the account, because the device's budget
   * is used up. Undefined without a known device.
   */
  readonly device: 'known' | 'spent' | undefined;
  /**
   * Ends a successful attempt: clears the failures that it counted with (of the account with those from this address, or of
   * the known device) and the raised price of the address.
   */
  succeeded(): Promise<void>;
  /** Withdraws the failure, for an attempt that was not checked. */
  withdraw(): Promise<void>;
}

/** The account and the challenges of a request that passed its guard. */
export interface PassedGuard {
  /** Undefined if the request names no account. */
  readonly key: string | undefined;
  /** The known device that the attempt counts for, unless it counts for the account. */
  device: KnownDevice | undefined;
  readonly given: GivenProof;
  /** The counted attempt of this request: a second call counts nothing. */
  attempt?: Promise<GuardedAttempt>;
  /** Failures of the account, or of the known device, including this attempt, while it is counted. */
  failures?: number | undefined;
}

/** The guard's data on a request. */
export interface GuardedRequest {
  /** The challenge fields as received, copied before validation. */
  readonly fields: Submission;
  /** The account and the challenges that passed the guard; null before. */
  passed: PassedGuard | null;
}

/** Returns the challenge fields of a request to a guarded route; none on any other route. */
export function challengeFieldsOf(request: FastifyRequest): Submission {
  return request.guarded?.fields ?? {};
}

/** Returns the options of `pow` on the route of a request; undefined if the route has no `pow`. */
function powRuleOf(request: FastifyRequest): PowGuard | undefined {
  return powGuardOf(configuredGuards(request.routeOptions.config.guards ?? []));
}

function rulesOf(request: FastifyRequest): FormRules {
  return formRules(configuredGuards(request.routeOptions.config.guards ?? []));
}

/** The requirements of a route. */
interface RouteRules {
  readonly work: PowGuard | undefined;
  readonly image: ImageRequirement;
  readonly rules: FormRules;
}

/**
 * Finds the account of a request. With `throttle` it rejects an account that must wait, before any challenge is spent. The
 * failures of a known device are read only with an image: counting the attempt rechecks its challenges against them.
 * @returns undefined if the route has no key or the request names no account
 * @throws ValidationFailed, LoginThrottled, and the error for malformed challenges; StoreUnavailableError
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
    pow: true,
    image,
    minDifficulty: rules.minDifficulty,
    algorithms: rules.algorithms,
    pass: request.headers[PASS_HEADER],
  });
  if (malformed !== null)
    throw await challengeError(request, verifier, malformed, { key, failures: 0 }, rules);
  const device = await deviceOf?.(request);
  // Counting the attempt rechecks the work, but an image would be spent by then.
  if (device !== undefined) {
    const hasImage = offersImage(challengeFieldsOf(request));
    return { key, device, failures: hasImage ? () => failuresWith(verifier, key, device) : 0 };
  }
  if (!throttle) return verifier.attemptedAccount(key);
  const { failures, waitMs } = await verifier.attemptStatus(key, request.ip);
  if (waitMs > 0) throw throttleError(waitMs, await requirementsFor(request, verifier));
  return { key, failures };
}

/** Returns the failures that an attempt of a known device counts with: beyond the device's budget those of the account. */
async function failuresWith(verifier: ChallengeVerifier, key: string, device: KnownDevice): Promise<number> {
  const { failures } = await verifier.attemptStatus(device.key);
  return failures < device.budget ? failures : (await verifier.attemptStatus(key)).failures;
}

/**
 * Counts a request as a failed attempt, and rejects it if it must wait or if its challenges no longer suffice: others may
 * have failed meanwhile.
 * @throws LoginThrottled, PowInsufficient, CaptchaRequired; ValidationFailed if the request names no account;
 *   TypeError on a route without `pow({ key })`; StoreUnavailableError
 */
export async function countAttempt(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
): Promise<GuardedAttempt> {
  const passed = request.guarded?.passed;
  if (passed?.key === undefined) throw uncountableError(request);
  passed.attempt ??= countOnce(request, verifier, passed, passed.key);
  return passed.attempt;
}

async function countOnce(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
  passed: PassedGuard,
  key: string,
): Promise<GuardedAttempt> {
  const { device, given } = passed;
  const ofDevice = device === undefined ? null : await verifier.countDeviceAttempt(device, given);
  if (ofDevice === null) passed.device = undefined;
  const ip = powRuleOf(request)?.throttle === true ? request.ip : undefined;
  const { before, waitMs, id, withdraw } = ofDevice ?? (await verifier.countAttempt(key, ip, given));
  if (waitMs > 0) {
    const next = await verifier.nextAttempt(key, before, request.ip, demandOf(rulesOf(request)));
    throw throttleError(waitMs, requirementsHere(request, verifier, next));
  }
  const counted = { key, device: passed.device };
  const outdated = verifier.recheck(given, before);
  if (outdated !== null) {
    const account = { ...counted, failures: before };
    throw await challengeError(request, verifier, outdated, account, rulesOf(request));
  }
  const setFailures = (failures: number | undefined) => {
    if (request.guarded?.passed) request.guarded.passed.failures = failures;
  };
  setFailures(before + 1);
  return {
    before,
    id,
    device: device === undefined ? undefined : ofDevice === null ? 'spent' : 'known',
    async withdraw() {
      await waitForAnswer(answerLimitOf(request), withdraw());
      setFailures(undefined);
    },
    async succeeded() {
      // The owner's logins do not refill the budget of a device, whose cookie may have been stolen.
      const clear = async () => {
        if (counted.device === undefined) return verifier.clearFailures(key, request.ip);
        await Promise.all([withdraw(), verifier.clearFailures(undefined, request.ip)]);
      };
      await waitForAnswer(answerLimitOf(request), clear());
      setFailures(undefined);
    },
  };
}

/**
 * Returns the error for an account that must wait at this address.
 * @param waitMs milliseconds; `Retry-After` is in whole seconds
 * @param next requirements of the next attempt
 */
function throttleError(waitMs: number, next: NextAttempt): Error {
  return refuse(LoginThrottled, {
    headers: { 'retry-after': Math.ceil(waitMs / 1000) },
    body: { ...next },
  });
}

/** A request without an account is a client error; a route without `key` is a bug of the application. */
function uncountableError(request: FastifyRequest): Error {
  if (powRuleOf(request)?.key !== undefined && request.challengeVerdict !== null)
    return noAccountError(request, 'the request names no account');
  return new TypeError('countAttempt() needs pow({ key }) on its route');
}

/**
 * Returns the requirements of the next attempt for a rejection: those of the account only after the challenges have passed.
 * @throws StoreUnavailableError
 */
export async function requirementsFor(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
): Promise<NextAttempt> {
  const next = await nextAttempt(request, verifier, demandOf(rulesOf(request)));
  return requirementsHere(request, verifier, next);
}

/** Adds the requirements of a request's form. */
function requirementsHere(
  request: FastifyRequest,
  { options }: ChallengeVerifier,
  next: NextAttempt,
): NextAttempt {
  return requirementsOf(next, rulesOf(request), options, challengeFieldsOf(request));
}

async function nextAttempt(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
  demand: Demand | undefined,
): Promise<NextAttempt> {
  const passed = request.guarded?.passed ?? null;
  if (passed === null) {
    const hasAccount = powRuleOf(request)?.key !== undefined;
    return verifier.nextAttemptUnproven(challengeFieldsOf(request), hasAccount, demand);
  }
  const { key, device, failures } = passed;
  if (key === undefined) return verifier.nextAttempt(undefined, 0, request.ip, demand);
  const counted = countedKey({ key, device });
  const known = failures ?? (await verifier.attemptStatus(counted)).failures;
  return verifier.nextAttempt(counted, known, request.ip, demand);
}
