// Decorates the server with the services that routes depend on: sessions, revocations, directory, sign-in, codes.

import answerLimit from '@tollgate/shared/http/server/answer-limit.js';
import type { RevocationFollower } from '@tollgate/shared/sessions/revocation-follower.js';
import type { RevocationLog } from '@tollgate/shared/sessions/revocation-log.js';
import type { Revoker } from '@tollgate/shared/sessions/revoker.js';
import { underLimit } from '@tollgate/shared/store/store.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { AccountDirectory } from '../directory/accounts.js';
import type { SignIn } from '../passwords/sign-in.js';
import type { DeviceVoids } from '../stores/device-voids.js';
import type { SessionStore } from '../stores/session-store.js';
import type { SignInCodes } from '../stores/sign-in-codes.js';

/** What a request asks within its time limit for stores that do not answer. */
interface RequestStores {
  readonly sessions: SessionStore;
  /** The voids of device cookies. */
  readonly deviceVoids: DeviceVoids;
  readonly signInCodes: SignInCodes;
}

/** Opened and closed by service.ts. */
export interface DecoratedDependencies extends RequestStores {
  /** Knows the revoked sessions. */
  readonly revocations: RevocationFollower;
  /** The log of revoked sessions itself. */
  readonly revocationLog: RevocationLog;
  /** Publishes the end of sessions to all nodes. */
  readonly revoker: Revoker;
  readonly directory: AccountDirectory;
  readonly signIn: SignIn;
}

declare module 'fastify' {
  interface FastifyInstance extends Omit<DecoratedDependencies, keyof RequestStores> {}
  interface FastifyRequest extends RequestStores {}
}

async function dependencies(app: FastifyInstance, deps: DecoratedDependencies): Promise<void> {
  await app.register(answerLimit);
  for (const name of ['sessions', 'deviceVoids', 'signInCodes'] as const) {
    app.decorateRequest(name, {
      getter(this: FastifyRequest) {
        return underLimit<RequestStores[typeof name]>(this.answerLimit, deps[name]);
      },
    });
  }
  app.decorate('revocations', deps.revocations);
  app.decorate('revocationLog', deps.revocationLog);
  app.decorate('revoker', deps.revoker);
  app.decorate('directory', deps.directory);
  app.decorate('signIn', deps.signIn);
}

/** Decorates the server with its dependencies, and requests with those that they ask within their time limit. */
export default fp(dependencies, { name: 'tollgate-session-dependencies', fastify: '5.x' });
