// The guards of an application: a route names what a submission to it must carry.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { NextAttempt } from '../../challenges/attempts/next-attempt.js';
import type { ChallengeObserver } from '../../challenges/challenge-observer.js';
import {
  type ChallengeVerifier,
  type CountedAttempt,
  createChallengeVerifier,
} from '../../challenges/challenge-verifier.js';
import { type FormRules, requirementsOf } from '../../challenges/form-rules.js';
import type { ChallengeStore } from '../../challenges/store/challenge-store.js';
import { type Submission, submissionFrom } from '../../challenges/submission.js';
import type { ChallengeType } from '../../challenges/types/challenge-type-registry.js';
import type { GivenProof } from '../../challenges/verdict.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import { challengeRefused } from './challenge-refusal.js';
import { findAccountKey, noAccount } from './find-account-key.js';
import { answerGuarded, type ChallengeVerdict, needsRequirements, type OnRefused } from './guard-answers.js';
import { guardMistake } from './guard-mistake.js';
import { formRules, type Guard, keyFinderOf } from './guards.js';

export { accountKey } from '../../challenges/attempts/account-key.js';
export { type CaptchaGuard, captcha, type Guard, type PowGuard, pow } from './guards.js';

/** What the plugin is made of. */
export interface GuardOptions {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** Names the keys of this host: counts of different hosts never meet. */
  readonly host: string;
  /** Kinds of challenge beyond the built-in ones; of use here are those that judge their answers themselves. */
  readonly kinds?: readonly ChallengeType[];
  /** Hears what becomes of each submission, for figures. */
  readonly observer?: ChallengeObserver | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    captcha: ChallengeVerifier;
  }
  interface FastifyContextConfig {
    /** The challenges that a submission to this route must carry. */
    guards?: readonly Guard[];
    /** Answers what the guards of this route refuse, and a body that its schema refuses, in the place of the plugin. */
    onRefused?: OnRefused;
  }
  interface FastifyRequest {
    /** The challenge fields as they came, copied before validation; null on a route without them. */
    challengeFields: Submission | null;
    /** What passed the guard, and the account whose failures it was judged by; null before. */
    passedGuard: PassedGuard | null;
    /** What the guards of the route said; null before, and on a route without them. */
    challengeVerdict: ChallengeVerdict | null;
    /**
     * Counts this request as a failed try of the account that `pow({ key })` found, before its outcome is known, and refuses
     * it if what it gave is too little now: of parallel tries only the first few go on. To be called before a password is
     * looked at.
     * @param ip of a pair of account and address that has failed too often the try is not counted: `waitMs` is above zero
     * @throws PowInsufficient, CaptchaRequired; ValidationFailed where the request names no account; TypeError on a route
     *   without `pow({ key })`
     */
    countAttempt(ip?: string): Promise<CountedAttempt>;
  }
}

interface PassedGuard {
  /** Undefined where the request names no account. */
  readonly key: string | undefined;
  readonly given: GivenProof;
}

async function challengeGuard(app: FastifyInstance, deps: GuardOptions): Promise<void> {
  const host = createChallengeVerifier({ ...deps, clock: Date.now });
  app.decorate('captcha', host);
  app.decorateRequest('challengeFields', null);
  app.decorateRequest('passedGuard', null);
  app.decorateRequest('challengeVerdict', null);
  app.decorateRequest('countAttempt', async function (this: FastifyRequest, ip) {
    const { key, given } = this.passedGuard ?? {};
    if (key === undefined || given === undefined) throw uncountable(this);
    const counted = await host.countAttempt(key, ip, given);
    const outdated = host.recheck(given, counted.before);
    if (outdated !== null) {
      throw await challengeRefused(this, host, outdated, { key, failures: counted.before }, rulesOf(this));
    }
    return counted;
  });
  app.addHook('onRoute', (route) => {
    const guards = route.config?.guards;
    if (guards === undefined) return;
    const mistake = guardMistake(guards, host.options);
    if (mistake !== null) throw new TypeError(`guards of ${route.method} ${route.url} ${mistake}`);
    if (guards.length === 0) return;
    guardRoute(route, host, guards);
    route.errorHandler ??= answerGuarded;
  });
  // A route declared before this plugin had loaded was not seen above: it is refused, or it would stand open.
  app.addHook('preHandler', async ({ challengeFields, routeOptions: { config, url } }) => {
    // A function has a length too, and a guard that was not called is one.
    const hasNone =
      config.guards === undefined || (Array.isArray(config.guards) && config.guards.length === 0);
    if (!hasNone && challengeFields === null) {
      throw new TypeError(
        `the guards of ${url} are not in place: await the guard plugin before adding routes`,
      );
    }
  });
}

function rulesOf(request: FastifyRequest): FormRules {
  return formRules(request.routeOptions.config.guards ?? []);
}

/** Whoever names no account has filled in a form wrongly; a route that looks for none is a mistake of its author. */
function uncountable(request: FastifyRequest): Error {
  const keyOf = keyFinderOf(request.routeOptions.config.guards ?? []);
  if (keyOf !== undefined && request.challengeVerdict !== null)
    return noAccount(request, 'the request names no account');
  return new TypeError('countAttempt() needs pow({ key }) on its route');
}

function guardRoute(route: RouteOptions, host: ChallengeVerifier, guards: readonly Guard[]): void {
  const checksWork = guards.some((guard) => guard.name === 'pow');
  const keyOf = keyFinderOf(guards);
  const rules = formRules(guards);

  const copyFields = async (request: FastifyRequest) => {
    request.challengeFields = submissionFrom(request.body, host.fieldNames);
  };
  const judge = async (request: FastifyRequest) => {
    const key = await findAccountKey(keyOf, request);
    const account = key === undefined ? undefined : host.attemptedAccount(key);
    const verdict = await host.verify(challengeFieldsOf(request), {
      ip: request.ip,
      pow: checksWork,
      image: rules.alwaysImage ? 'required' : 'escalating',
      account,
      presets: rules.presets,
      minDifficulty: rules.minDifficulty,
    });
    if (!verdict.ok) throw await challengeRefused(request, host, verdict, account, rules);
    request.challengeVerdict = { ok: true };
    request.passedGuard = { key, given: verdict.given };
  };

  // Before validation, because a strict schema of the host would remove the fields it does not know.
  route.preValidation = [copyFields, ...hooks(route.preValidation)];
  route.preHandler = [judge, ...hooks(route.preHandler)];
  const required = async (request: FastifyRequest) => {
    const next = await nextAttempt(host, request);
    return { ...requirementsOf(next, rules, host.options) };
  };
  // What the route itself refuses, after the guards have let it pass, says what the next attempt needs as well.
  route.preSerialization = [
    ...hooks(route.preSerialization),
    async (request, reply, payload) =>
      needsRequirements(request, reply, payload) ? { ...(await required(request)), ...payload } : payload,
  ];
  route.config = {
    ...route.config,
    extendError: async (request, error) =>
      (error.statusCode === 422 || request.challengeVerdict?.ok) && !('captcha_required' in error.body)
        ? required(request)
        : undefined,
  };
}

/** The challenge fields of a request to a guarded route. */
export function challengeFieldsOf(request: FastifyRequest): Submission {
  return request.challengeFields ?? {};
}

/**
 * What a failed answer says about the next attempt: of the account only to a request whose challenges have passed.
 * @throws StoreUnavailableError
 */
export async function nextAttempt(host: ChallengeVerifier, request: FastifyRequest): Promise<NextAttempt> {
  if (request.passedGuard === null) {
    const keyOf = keyFinderOf(request.routeOptions.config.guards ?? []);
    return host.nextAttemptUnproven(challengeFieldsOf(request), keyOf !== undefined);
  }
  const { key } = request.passedGuard;
  const failures = key === undefined ? 0 : (await host.attemptStatus(key)).failures;
  return host.nextAttempt(key, failures, request.ip);
}

function hooks<Hook>(hook: Hook | Hook[] | undefined): Hook[] {
  if (hook === undefined) return [];
  return Array.isArray(hook) ? hook : [hook];
}

/**
 * Decorates the server with `captcha`, the host object, and makes `config.guards` of its routes work. Register it
 * before every context with guarded routes.
 */
export default fp(challengeGuard, { name: 'tollgate-guard', fastify: '5.x' });
