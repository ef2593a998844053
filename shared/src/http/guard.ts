// The guards of a host application: a route names what a submission to it must carry.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import {
  type ChallengeHost,
  type CountedTry,
  createChallengeHost,
  type NextAttempt,
} from '../challenges/challenge-host.js';
import type { ChallengeObserver } from '../challenges/challenge-observer.js';
import type { ChallengeStore } from '../challenges/challenge-store.js';
import type { TriedAccount } from '../challenges/checker.js';
import type { Kind } from '../challenges/kinds.js';
import { type Submission, submissionFrom } from '../challenges/submission.js';
import type { GivenProof } from '../challenges/verdict.js';
import type { KeyRing } from '../crypto/key-ring.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { type AccountKeyOf, findAccountKey } from './account-key.js';
import { refused } from './challenge-refusal.js';
import { isForeseen } from './error-answer.js';
import { answerError } from './error-handler.js';
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
  /** Hears what becomes of each submission, for figures. */
  readonly observer?: ChallengeObserver | undefined;
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
    /** What passed the guard, and the account whose failures it was judged by; null before, and without such an account. */
    passedGuard: PassedGuard | null;
    /**
     * Counts this request as a failed try of the account that `pow({ key })` found, before its outcome is known, and refuses
     * it if what it gave is too little now: of parallel tries only the first few go on. To be called before a password is
     * looked at.
     * @param ip of a pair of account and address that has failed too often the try is not counted: `waitMs` is above zero
     * @throws PowInsufficient, CaptchaRequired; TypeError where no guard has found an account
     */
    countTry(ip?: string): Promise<CountedTry>;
  }
}

interface PassedGuard {
  readonly key: string;
  readonly given: GivenProof;
}

async function challengeGuard(app: FastifyInstance, parts: GuardOptions): Promise<void> {
  const host = createChallengeHost({ ...parts, clock: Date.now });
  app.decorate('captcha', host);
  app.decorateRequest('challengeFields', null);
  app.decorateRequest('passedGuard', null);
  app.decorateRequest('countTry', async function (this: FastifyRequest, ip) {
    if (this.passedGuard === null)
      throw new TypeError('countTry() needs pow({ key }) and a key that it found');
    const { key, given } = this.passedGuard;
    const counted = await host.countTry(key, ip, given);
    const outdated = host.reconsider(given, counted.before);
    if (outdated !== null) throw refused(this, host, outdated, { key, failures: counted.before });
    return counted;
  });
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
    if (!verdict.ok) throw refused(request, host, verdict, account);
    if (account !== undefined) request.passedGuard = { key: account.key, given: verdict.given };
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

/**
 * Decorates the server with `captcha`, the host object, and makes `config.guards` of its routes work. Register it
 * before every context with guarded routes.
 */
export default fp(challengeGuard, { name: 'tollgate-guard', fastify: '5.x' });
