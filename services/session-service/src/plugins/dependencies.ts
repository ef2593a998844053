// Decorates the server with the services that routes depend on: sessions, revocations, directory, sign-in, codes.

import type { RevocationFollower } from '@tollgate/shared/sessions/revocation-follower.js';
import type { RevocationLog } from '@tollgate/shared/sessions/revocation-log.js';
import type { Revoker } from '@tollgate/shared/sessions/revoker.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Directory } from '../directory/directory.js';
import type { SignIn } from '../passwords/sign-in.js';
import type { DeviceVoids } from '../stores/device-voids.js';
import type { SessionStore } from '../stores/session-store.js';
import type { SignInCodes } from '../stores/sign-in-codes.js';

/** Opened and closed by service.ts. */
export interface DecoratedDependencies {
  readonly sessions: SessionStore;
  /** The voids of device cookies. */
  readonly deviceVoids: DeviceVoids;
  /** Knows the revoked sessions. */
  readonly revocations: RevocationFollower;
  /** The log of revoked sessions itself. */
  readonly revocationLog: RevocationLog;
  /** Publishes the end of sessions to all nodes. */
  readonly revoker: Revoker;
  readonly directory: Directory;
  readonly signIn: SignIn;
  readonly signInCodes: SignInCodes;
}

declare module 'fastify' {
  interface FastifyInstance extends DecoratedDependencies {}
}

async function dependencies(app: FastifyInstance, deps: DecoratedDependencies): Promise<void> {
  app.decorate('sessions', deps.sessions);
  app.decorate('deviceVoids', deps.deviceVoids);
  app.decorate('revocations', deps.revocations);
  app.decorate('revocationLog', deps.revocationLog);
  app.decorate('revoker', deps.revoker);
  app.decorate('directory', deps.directory);
  app.decorate('signIn', deps.signIn);
  app.decorate('signInCodes', deps.signInCodes);
}

/** Decorates the server with its dependencies. */
export default fp(dependencies, { name: 'tollgate-session-dependencies', fastify: '5.x' });
