// Authenticates the applications that call the host API by their keys, and verifies challenges for each under its own name.

import type { AuditTrail } from '@tollgate/shared/audit';
import {
  type AttemptContext,
  addressPseudonym,
  type ChallengeStore,
  type ChallengeType,
  type ChallengeVerifier,
  type CheckedAttempt,
  createChallengeVerifier,
  normaliseAddress,
  type Submission,
  verifyAndCount,
} from '@tollgate/shared/challenges';
import type { ApplicationKey } from '@tollgate/shared/config';
import { type KeyRing, matcherOf } from '@tollgate/shared/crypto';
import { refuse } from '@tollgate/shared/http';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { bearerToken } from '@tollgate/shared/tokens';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { HostKeyInvalid } from '../errors.js';
import type { ChallengeMetrics } from './challenge-metrics.js';

/** The application that sent the request, and the verifier that counts under its name. */
interface CallingApplication extends ChallengeVerifier {
  readonly name: string;
  /** Verifies a submission and, if requested, counts it as a failure before its outcome is known. */
  attempt(submission: Submission, context: AttemptContext): Promise<CheckedAttempt>;
}

interface ApplicationsOptions {
  readonly challenges: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  readonly keys: readonly ApplicationKey[];
  /** The operator's challenge types; only those that verify their own answers are used here. */
  readonly kinds?: readonly ChallengeType[];
  readonly metrics: Pick<ChallengeMetrics, 'challenges'>;
  /** The audit trail. */
  readonly trail: AuditTrail;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Rejects a request without the key of an application, otherwise sets `request.callingApplication`. */
    requireHostKey: onRequestHookHandler;
  }
  interface FastifyRequest {
    callingApplication: CallingApplication | null;
  }
}

async function applications(app: FastifyInstance, deps: ApplicationsOptions): Promise<void> {
  const { challenges: store, ring, options, keys, kinds = [], metrics, trail } = deps;
  const known = keys.map(({ application: name, secret }) => {
    const observer = metrics.challenges(name, trail);
    const verifier = createChallengeVerifier({
      store,
      ring,
      options,
      application: name,
      kinds,
      clock: Date.now,
      observer,
    });
    const attempt: CallingApplication['attempt'] = (submission, context) =>
      verifyAndCount(verifier, submission, context);
    return { isKey: matcherOf(secret), application: { ...verifier, name, attempt } };
  });
  app.decorateRequest('callingApplication', null);
  app.decorate('requireHostKey', (request, _reply, done) => {
    const presented = bearerToken(request.headers.authorization);
    // Compares every key, so that timing reveals neither the matching key nor a partial match.
    for (const { isKey, application } of known)
      if (isKey(presented)) request.callingApplication = application;
    if (request.callingApplication === null) {
      const address = normaliseAddress(request.ip);
      trail.write({
        event: 'host_key_refused',
        ...(address === null ? {} : { address: addressPseudonym(ring.current, address) }),
        request: request.id,
      });
      return done(refuse(HostKeyInvalid, { headers: { 'www-authenticate': 'Bearer' } }));
    }
    done();
  });
}

/** Returns the application of a request that passed `requireHostKey`. */
export function applicationOf(request: FastifyRequest): CallingApplication {
  if (request.callingApplication === null) throw new TypeError('the route has no requireHostKey hook');
  return request.callingApplication;
}

/** Decorates the server with `requireHostKey`. */
export default fp(applications, { name: 'tollgate-applications', fastify: '5.x' });
