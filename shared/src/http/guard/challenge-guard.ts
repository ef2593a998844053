// The guard: a route names what a submission to it must carry, and the guard checks it before the handler runs.

import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { ChallengeObserver } from '../../challenges/challenge-observer.js';
import { type ChallengeVerifier, createChallengeVerifier } from '../../challenges/challenge-verifier.js';
import type { ChallengeStore } from '../../challenges/store/challenge-store.js';
import { type Submission, submissionFrom } from '../../challenges/submission.js';
import type { ChallengeType } from '../../challenges/types/challenge-type-registry.js';
import type { AttemptedAccount } from '../../challenges/verification.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import { challengeRefused } from './challenge-refusal.js';
import { findAccountKey } from './find-account-key.js';
import { answerGuarded, type ChallengeVerdict, needsRequirements, type OnRefused } from './guard-answers.js';
import {
  challengeFieldsOf,
  countAttempt,
  type GuardedAttempt,
  type PassedGuard,
  requirementsFor,
  throttled,
} from './guarded-attempt.js';
import { formRules, type Guard, guardMistake, powGuardOf } from './guards.js';

/** What the plugin needs. */
export interface GuardOptions {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** The name of this application: failures of different applications are counted apart. */
  readonly host: string;
  /** Challenge types beyond the built-in ones; only those that verify their answers themselves matter here. */
  readonly kinds?: readonly ChallengeType[];
  /** Hears the verdict on each submission, for metrics. */
  readonly observer?: ChallengeObserver | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Verifies submissions and counts attempts outside of guarded routes. */
    captcha: ChallengeVerifier;
  }
  interface FastifyContextConfig {
    /** The challenges that a submission to this route must carry. */
    guards?: readonly Guard[];
    /**
     * Whether the route's own `preHandler` hooks run before the guard. For hooks that only refuse, such as a rate limit:
     * by default the guard runs first, so that nothing else works for a submission without challenges.
     */
    guardsLast?: boolean;
    /** Answers what the guards of this route refuse, and a body that its schema refuses, in place of the plugin. */
    onRefused?: OnRefused;
  }
  interface FastifyRequest {
    /** The challenge fields as they came, copied before validation; null on a route without guards. */
    challengeFields: Submission | null;
    /** What passed the guard; null before. */
    passedGuard: PassedGuard | null;
    /** The verdict of the guards; null before, and on a route without guards. */
    challengeVerdict: ChallengeVerdict | null;
    /**
     * Counts this request as a failed attempt on the account that `pow({ key })` found, before its outcome is known, and
     * refuses it if what it gave is too little by now: of parallel attempts only the first few go on. Call it before you
     * look at a password; with `throttle` an account that has failed too often at this address is refused.
     * @throws LoginThrottled, PowInsufficient, CaptchaRequired; ValidationFailed if the request names no account;
     *   TypeError on a route without `pow({ key })`
     */
    countAttempt(): Promise<GuardedAttempt>;
  }
}

async function challengeGuard(app: FastifyInstance, options: GuardOptions): Promise<void> {
  const verifier = createChallengeVerifier({ ...options, application: options.host, clock: Date.now });
  app.decorate('captcha', verifier);
  app.decorateRequest('challengeFields', null);
  app.decorateRequest('passedGuard', null);
  app.decorateRequest('challengeVerdict', null);
  app.decorateRequest('countAttempt', function (this: FastifyRequest) {
    return countAttempt(this, verifier);
  });
  app.addHook('onRoute', (route) => {
    const guards = route.config?.guards;
    if (guards === undefined) return;
    const mistake = guardMistake(guards, verifier.options);
    if (mistake !== null) throw new TypeError(`guards of ${route.method} ${route.url} ${mistake}`);
    if (guards.length > 0) guardRoute(route, verifier, guards);
  });
  // The hook above did not see a route that was declared before this plugin had loaded: refuse it, or it stands open.
  app.addHook('preHandler', async ({ challengeFields, routeOptions: { config, url } }) => {
    // A function has a length too: `guards: pow` is a mistake, not an empty list.
    const hasNone =
      config.guards === undefined || (Array.isArray(config.guards) && config.guards.length === 0);
    if (!hasNone && challengeFields === null) {
      throw new TypeError(
        `the guards of ${url} are not in place: await the guard plugin before adding routes`,
      );
    }
  });
}

function guardRoute(route: RouteOptions, verifier: ChallengeVerifier, guards: readonly Guard[]): void {
  const work = powGuardOf(guards);
  const rules = formRules(guards);

  const copyFields = async (request: FastifyRequest) => {
    request.challengeFields = submissionFrom(request.body, verifier.fieldNames);
  };
  const check = async (request: FastifyRequest) => {
    const key = await findAccountKey(work?.key, request);
    const account = await attemptedAccount(request, key);
    const verdict = await verifier.verify(challengeFieldsOf(request), {
      ip: request.ip,
      pow: work !== undefined,
      image: rules.alwaysImage ? 'required' : 'escalating',
      account,
      presets: rules.presets,
      minDifficulty: rules.minDifficulty,
    });
    if (!verdict.ok) throw await challengeRefused(request, verifier, verdict, account, rules);
    request.challengeVerdict = { ok: true };
    request.passedGuard = { key, given: verdict.given };
  };
  /** With `throttle`, refuses an account that must wait before its challenges are taken from the store. */
  const attemptedAccount = async (
    request: FastifyRequest,
    key: string | undefined,
  ): Promise<AttemptedAccount | undefined> => {
    if (key === undefined) return undefined;
    if (work?.throttle !== true) return verifier.attemptedAccount(key);
    const fields = challengeFieldsOf(request);
    const malformed = verifier.checkShape(fields, {
      pow: true,
      image: rules.alwaysImage ? 'required' : 'escalating',
    });
    if (malformed !== null)
      throw await challengeRefused(request, verifier, malformed, { key, failures: 0 }, rules);
    const { failures, waitMs } = await verifier.attemptStatus(key, request.ip);
    if (waitMs > 0) throw throttled(waitMs, await requirementsFor(request, verifier));
    return { key, failures };
  };

  // Before validation, because a strict schema of the application would remove the fields it does not know.
  route.preValidation = [copyFields, ...hooks(route.preValidation)];
  const own = hooks(route.preHandler);
  route.preHandler = route.config?.guardsLast === true ? [...own, check] : [check, ...own];
  // What the route itself refuses, after the guards have let it pass, says what the next attempt needs as well.
  route.preSerialization = [
    ...hooks(route.preSerialization),
    async (request, reply, payload) =>
      needsRequirements(request, reply, payload)
        ? { ...(await requirementsFor(request, verifier)), ...payload }
        : payload,
  ];
  route.errorHandler ??= answerGuarded;
  route.config = {
    ...route.config,
    extendError: async (request, error) => {
      const isRefusal = error.statusCode === 422 || request.challengeVerdict?.ok === true;
      if (!isRefusal || 'captcha_required' in error.body) return undefined;
      return { ...(await requirementsFor(request, verifier)) };
    },
  };
}

function hooks<Hook>(hook: Hook | Hook[] | undefined): Hook[] {
  if (hook === undefined) return [];
  return Array.isArray(hook) ? hook : [hook];
}

/**
 * Decorates the server with `captcha` and makes `config.guards` of its routes work. Register and await it before every
 * context with guarded routes.
 */
export default fp(challengeGuard, { name: 'tollgate-guard', fastify: '5.x' });
