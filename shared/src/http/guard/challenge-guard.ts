// The guard plugin: verifies the challenges in a route's `config.guards` before its handler runs.

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preSerializationHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify';
import fp from 'fastify-plugin';
import { PASS_HEADER } from '../../challenges/attempts/pass.js';
import {
  type ChallengeObserver,
  type ChallengeVerifier,
  createChallengeVerifier,
} from '../../challenges/challenge-verifier.js';
import type { ChallengeStore } from '../../challenges/store/challenge-store.js';
import { submissionFrom } from '../../challenges/submission.js';
import type { ChallengeType } from '../../challenges/types/challenge-type-registry.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import { chargeFailure, underLimit } from '../../store/store.js';
import answerLimit, { answerLimitOf } from '../server/answer-limit.js';
import { dropEmptyBody } from '../server/json-bodies.js';
import { answerGuarded, type ChallengeVerdict, challengeError, type OnRefused } from './guard-answers.js';
import {
  challengeFieldsOf,
  countAttempt,
  findAttemptedAccount,
  type GuardedAttempt,
  type GuardedRequest,
  requirementsFor,
} from './guarded-attempt.js';
import {
  type ConfiguredGuard,
  configuredGuards,
  formRules,
  type Guard,
  guardMistake,
  powGuardOf,
} from './guards.js';

/** The options of the plugin. */
interface GuardOptions {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** The name of this application: each application has its own failure counts. */
  readonly application: string;
  /** Challenge types beyond the built-in ones; only those with a `verify` function matter here. */
  readonly kinds?: readonly ChallengeType[];
  /** Called with the verdict on each submission, for metrics. */
  readonly observer?: ChallengeObserver | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Verifies submissions and counts attempts outside guarded routes. */
    captcha: ChallengeVerifier;
  }
  interface FastifyContextConfig {
    /** The challenges that a submission to this route must solve. */
    guards?: readonly Guard[];
    /**
     * Whether the route's own `preHandler` hooks run before the guard. Meant for hooks that only reject, such as a rate
     * limit: by default the guard runs first, so that a submission without challenges costs no other work. Hooks that
     * a plugin adds to the route count as its own only if the plugin was registered before the guard.
     */
    guardsLast?: boolean;
    /** Responds to a submission that the guards or the body schema of this route reject, instead of the plugin. */
    onRefused?: OnRefused;
  }
  interface FastifyRequest {
    /** The guard's data on the request; null on a route without guards. */
    guarded: GuardedRequest | null;
    /** The verdict of the guards; null before, and on a route without guards. */
    challengeVerdict: ChallengeVerdict | null;
    /**
     * Counts this request as a failed attempt on the account that `pow({ key })` found, before its outcome is known, and
     * rejects it if its challenges no longer suffice: of parallel attempts only the first few continue. Call it before you
     * check a password. With `throttle` it rejects an account that has failed too often from this address.
     * @throws LoginThrottled, PowInsufficient, CaptchaRequired; ValidationFailed if the request names no account; TypeError
     * on a route without `pow({ key })`
     */
    countAttempt(): Promise<GuardedAttempt>;
  }
}

async function challengeGuard(app: FastifyInstance, options: GuardOptions): Promise<void> {
  await app.register(answerLimit);
  const dependencies = { ...options, clock: Date.now };
  const verifier = createChallengeVerifier(dependencies);
  const verifierFor = ({ answerLimit }: FastifyRequest) => {
    const store = underLimit(answerLimit, options.store);
    return store === options.store ? verifier : createChallengeVerifier({ ...dependencies, store });
  };
  app.decorate('captcha', verifier);
  app.decorateRequest('guarded', null);
  app.decorateRequest('challengeVerdict', null);
  app.decorateRequest('countAttempt', function (this: FastifyRequest) {
    return chargeFailure(answerLimitOf(this), countAttempt(this, verifierFor(this)));
  });
  app.addHook('onRoute', (route) => {
    const guards = route.config?.guards;
    if (guards === undefined) return;
    const mistake = guardMistake(guards, verifier.options);
    if (mistake !== null) throw new TypeError(`guards of ${route.method} ${route.url} ${mistake}`);
    if (guards.length > 0) guardRoute(route, verifier, verifierFor, configuredGuards(guards));
  });
  // The onRoute hook misses routes of this context that were declared before the plugin was loaded. Their guards would not
  // run, so reject them. A child context that was loaded before sees neither hook.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.guarded !== null || hasNoGuards(request)) return done();
    const { url } = request.routeOptions;
    done(new TypeError(`the guards of ${url} would not run: await the guard plugin before adding routes`));
  });
}

function hasNoGuards({ routeOptions: { config } }: FastifyRequest): boolean {
  // Functions have a length too: `guards: pow` is a mistake, not an empty list.
  return config.guards === undefined || (Array.isArray(config.guards) && config.guards.length === 0);
}

function guardRoute(
  route: RouteOptions,
  { fieldNames }: ChallengeVerifier,
  verifierFor: (request: FastifyRequest) => ChallengeVerifier,
  guards: readonly ConfiguredGuard[],
): void {
  const work = powGuardOf(guards);
  const rules = formRules(guards);
  const image = rules.alwaysImage ? 'required' : 'escalating';

  const copyFields: preValidationHookHandler = (request, _reply, done) => {
    request.guarded = { fields: submissionFrom(request.body, fieldNames), passed: null };
    done();
  };
  const check = async (request: FastifyRequest) => {
    const verifier = verifierFor(request);
    const account = await findAttemptedAccount(request, verifier, { work, image, rules });
    const verdict = await verifier.verify(challengeFieldsOf(request), {
      ip: request.ip,
      pow: work !== undefined,
      image,
      account,
      presets: rules.presets,
      minDifficulty: rules.minDifficulty,
      algorithms: rules.algorithms,
      pass: request.headers[PASS_HEADER],
    });
    if (!verdict.ok) {
      throw await challengeError(request, verifier, verdict, account, rules);
    }
    request.challengeVerdict = { ok: true };
    if (request.guarded !== null) {
      request.guarded.passed = { key: account?.key, device: account?.device, given: verdict.given };
    }
  };

  route.preParsing = [dropEmptyBody, ...hooks(route.preParsing)];
  // Before validation, because an application's strict schema removes unknown fields.
  route.preValidation = [copyFields, ...hooks(route.preValidation)];
  const own = hooks(route.preHandler);
  route.preHandler = route.config?.guardsLast === true ? [...own, check] : [check, ...own];
  // A rejection by the route itself, after its guards have passed, also carries the requirements of the next attempt.
  const addRequirements: preSerializationHookHandler<unknown> = (request, reply, payload, done) => {
    if (!needsRequirements(request, reply, payload)) return done(null, payload);
    requirementsFor(request, verifierFor(request)).then(
      (requirements) => done(null, { ...requirements, ...payload }),
      done,
    );
  };
  route.preSerialization = [...hooks(route.preSerialization), addRequirements];
  route.errorHandler ??= answerGuarded;
  route.config = {
    ...route.config,
    extendError: async (request, error) => {
      const isRefusal = error.statusCode === 422 || request.challengeVerdict?.ok === true;
      if (!isRefusal || 'captcha_required' in error.body) return undefined;
      return { ...(await requirementsFor(request, verifierFor(request))) };
    },
  };
}

/** Returns whether a response of the route is a rejection that still lacks the requirements of the next attempt. */
function needsRequirements(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): payload is Record<string, unknown> {
  const isRefusal = request.challengeVerdict !== null && reply.statusCode >= 400 && reply.statusCode < 500;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  return isRefusal && isObject && !('captcha_required' in payload);
}

function hooks<Hook>(hook: Hook | Hook[] | undefined): Hook[] {
  if (hook === undefined) return [];
  return Array.isArray(hook) ? hook : [hook];
}

/**
 * Decorates the server with `captcha` and enforces `config.guards` of its routes. Register and await it before every context
 * with guarded routes.
 * @throws TypeError when a route with invalid guards is added; it names the route
 */
export default fp(challengeGuard, { name: 'tollgate-guard', fastify: '5.x' });
