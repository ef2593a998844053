// Knows the hosts of the host API by their keys, and checks challenges for each under its own name.

import type { AuditTrail } from '@tollgate/shared/audit/audit-trail.js';
import { normaliseAddress } from '@tollgate/shared/challenges/attempts/normalise.js';
import { addressPseudonym } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import {
  type AttemptContext,
  type CheckedAttempt,
  verifyAndCount,
} from '@tollgate/shared/challenges/attempts/verify-and-count.js';
import {
  type ChallengeVerifier,
  createChallengeVerifier,
} from '@tollgate/shared/challenges/challenge-verifier.js';
import type { ChallengeStore } from '@tollgate/shared/challenges/store/challenge-store.js';
import type { Submission } from '@tollgate/shared/challenges/submission.js';
import type { ChallengeType } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import type { ApplicationKey } from '@tollgate/shared/config/application-keys.js';
import { matcherOf } from '@tollgate/shared/crypto/constant-time.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { refuse, ValidationFailed } from '@tollgate/shared/http/errors/errors.js';
import { bearerToken } from '@tollgate/shared/http/tokens/bearer-token.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { HostKeyInvalid } from '../errors.js';
import type { ChallengeMetrics } from './challenge-metrics.js';

/** A host that calls, by name, with what checks challenges for it. */
export interface CallingApplication extends ChallengeVerifier {
  readonly name: string;
  /** Checks a submission and, if wanted, counts it as a failure before its outcome is known. */
  attempt(submission: Submission, context: AttemptContext): Promise<CheckedAttempt>;
}

export interface ApplicationsOptions {
  readonly challenges: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  readonly keys: readonly ApplicationKey[];
  /** Kinds of challenge beyond the built-in ones; of use here are those that judge their answers themselves. */
  readonly kinds?: readonly ChallengeType[];
  readonly figures: Pick<ChallengeMetrics, 'challenges'>;
  /** The audit stream. */
  readonly trail: AuditTrail;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** An `onRequest` hook: refuses a request without the key of a host, else sets `request.callingHost`. */
    requireHostKey(request: FastifyRequest): Promise<void>;
  }
  interface FastifyRequest {
    callingHost: CallingApplication | null;
  }
}

async function hosts(app: FastifyInstance, deps: ApplicationsOptions): Promise<void> {
  const { challenges: store, ring, options, keys, kinds = [], figures, trail } = deps;
  const known = keys.map(({ application: name, secret }) => {
    const observer = figures.challenges(name, trail);
    const host = createChallengeVerifier({
      store,
      ring,
      options,
      application: name,
      kinds,
      clock: Date.now,
      observer,
    });
    const attempt: CallingApplication['attempt'] = (submission, context) =>
      verifyAndCount(host, submission, context);
    return { isKey: matcherOf(secret), host: { ...host, name, attempt } };
  });
  app.decorateRequest('callingHost', null);
  app.decorate('requireHostKey', async (request: FastifyRequest) => {
    const presented = bearerToken(request.headers.authorization);
    // Every key is compared, so that the time tells neither which one nor how much of it was right.
    for (const each of known) if (each.isKey(presented)) request.callingHost = each.host;
    if (request.callingHost === null) {
      const address = normaliseAddress(request.ip);
      trail.write({
        event: 'host_key_refused',
        ...(address === null ? {} : { address: addressPseudonym(ring.current, address) }),
        request: request.id,
      });
      throw refuse(HostKeyInvalid, { headers: { 'www-authenticate': 'Bearer' } });
    }
  });
}

/** @throws ValidationFailed for a text that is no address: it would count as an unknown one */
export function requireAddress(ip: string | undefined): void {
  if (ip !== undefined && normaliseAddress(ip) === null) {
    throw refuse(ValidationFailed, { fields: { ip: ['malformed'] } });
  }
}

/** The host of a request that `requireHostKey` let in. */
export function callingApplication(request: FastifyRequest): CallingApplication {
  if (request.callingHost === null) throw new TypeError('the route has no requireHostKey hook');
  return request.callingHost;
}

/** Decorates the server with `requireHostKey`. */
export default fp(hosts, { name: 'tollgate-hosts', fastify: '5.x' });
