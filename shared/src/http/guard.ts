// The guards of a host application: a route names what a submission to it must carry.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { type ChallengeHost, createChallengeHost, type NextAttempt } from '../challenges/challenge-host.js';
import type { ChallengeStore } from '../challenges/challenge-store.js';
import type { TriedAccount } from '../challenges/checker.js';
import type { Kind } from '../challenges/kinds.js';
import { type Submission, submissionFrom } from '../challenges/submission.js';
import type { FailedVerdict } from '../challenges/verdict.js';
import type { KeyRing } from '../crypto/key-ring.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { type AccountKeyOf, findAccountKey } from './account-key.js';
import { CaptchaInvalid, CaptchaRequired, PowInsufficient, PowInvalid } from './challenge-errors.js';
import { isForeseen } from './error-answer.js';
import { answerError } from './error-handler.js';
import { refuse } from './errors.js';
import { guardMistake } from './guard-mistake.js';

/** What a route can ask for in `config.guards`. */
export type Guard = { readonly name: 'captcha' } | { readonly name: 'pow'; readonly key?: AccountKeyOf };

/** Checks the image fields, always. */
export const captcha: Guard = { name: 'captcha' };

/**
 * Checks the proof of work and, with a `key`, demands an image once the account has failed often enough.
 * @param rule `key` finds the account that a request is about; it may be waited for
 * @throws TypeError when the function is given in the place of the rule
 */
export function pow(rule: { key?: AccountKeyOf } = {}): Guard {
  if (typeof rule !== 'object') throw new TypeError('pow() takes an object with a function as key');
  return { ...rule, name: 'pow' };
}

/** What the plugin is made of. */
export interface GuardOptions {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** Names the keys of this host: counts of different hosts never meet. */
  readonly host: string;
  /** Kinds of challenge beyond the built-in ones; of use here are those that judge their answers themselves. */
  readonly kinds?: readonly Kind[];
}

declare module 'fastify' {
  interface FastifyInstance {
    captcha: ChallengeHost;
  }
  interface FastifyContextConfig {
    /** The challenges that a submission to this route must carry. */
    guards?: readonly Guard[];
  }
  interface FastifyRequest {
    /** The challenge fields as they came, copied before validation; null on a route without them. */
    challengeFields: Submission | null;
  }
}

async function challengeGuard(app: FastifyInstance, parts: GuardOptions): Promise<void> {
  const host = createChallengeHost({ ...parts, clock: Date.now });
  app.decorate('captcha', host);
  app.decorateRequest('challengeFields', null);
  app.addHook('onRoute', (route) => {
    const guards = route.config?.guards;
    if (guards === undefined) return;
    const mistake = guardMistake(guards);
    if (mistake !== null) throw new TypeError(`guards of ${route.method} ${route.url} ${mistake}`);
    if (guards.length === 0) return;
    guardRoute(route, host, guards);
    // In an application that has an error handler of its own, the refusals of its guarded routes are still ours.
    if (!app.hasPlugin('tollgate-errors')) route.errorHandler ??= answerRefusal;
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

async function answerRefusal(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (!isForeseen(error)) throw error;
  return answerError(error, request, reply);
}

function guardRoute(route: RouteOptions, host: ChallengeHost, guards: readonly Guard[]): void {
  const rule = guards.find((guard) => guard.name === 'pow');
  const keyOf = rule?.name === 'pow' ? rule.key : undefined;
  const wantsImage = guards.some((guard) => guard.name === 'captcha');
  const { escalation } = host.options;

  const copyFields = async (request: FastifyRequest) => {
    request.challengeFields = submissionFrom(request.body, host.fieldNames);
  };
  const judge = async (request: FastifyRequest) => {
    const account = await triedAccount(await findAccountKey(keyOf, request));
    const demanded = account !== undefined && account.failures >= escalation.after;
    const verdict = await host.verify(challengeFieldsOf(request), {
      ip: request.ip,
      pow: rule !== undefined,
      image: wantsImage ? 'required' : demanded ? 'demanded' : 'offered',
      account,
    });
    if (!verdict.ok) {
      request.log.info({ code: verdict.code, reason: verdict.reason }, 'challenge refused');
      throw refusalOf(verdict, { ...host.nextAttempt(account?.key, account?.failures ?? 0) });
    }
  };
  const triedAccount = async (key: string | undefined): Promise<TriedAccount | undefined> =>
    key === undefined ? undefined : { key, failures: (await host.standing(key)).failures };

  // The host's function may count on a body that has passed its schema, and a refused one may not have.
  const accountOf = (request: FastifyRequest) => findAccountKey(keyOf, request).catch(() => undefined);

  // Before validation, because a strict schema of the host would remove the fields it does not know.
  route.preValidation = [copyFields, ...hooks(route.preValidation)];
  route.preHandler = [judge, ...hooks(route.preHandler)];
  route.config = {
    ...route.config,
    extendError: async (request, error) =>
      error.statusCode === 422 && !('captcha_required' in error.body)
        ? { ...(await nextAttempt(host, await accountOf(request))) }
        : undefined,
  };
}

/** The challenge fields of a request to a guarded route. */
export function challengeFieldsOf(request: FastifyRequest): Submission {
  return request.challengeFields ?? {};
}

/** What a failed answer says about the next attempt on the account that a request names. */
export async function nextAttempt(host: ChallengeHost, key: unknown): Promise<NextAttempt> {
  if (typeof key !== 'string') return host.nextAttempt(undefined, 0);
  return host.nextAttempt(key, (await host.standing(key)).failures);
}

function hooks<Hook>(hook: Hook | Hook[] | undefined): Hook[] {
  if (hook === undefined) return [];
  return Array.isArray(hook) ? hook : [hook];
}

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

/**
 * Decorates the server with `captcha`, the host object, and makes `config.guards` of its routes work. Register it
 * before every context with guarded routes.
 */
export default fp(challengeGuard, { name: 'tollgate-guard', fastify: '5.x' });
