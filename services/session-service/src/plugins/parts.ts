// Gives the routes what has a life of its own: the sessions, their ends, the directory, the check of passwords.

import type { RevocationFollower } from '@tollgate/shared/sessions/revocation-follower.js';
import type { Revoker } from '@tollgate/shared/sessions/revoker.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Directory } from '../directory/directory.js';
import type { SignIn } from '../directory/sign-in.js';
import type { SessionStore } from '../stores/session-store.js';

/** Opened and closed by server.ts. */
export interface DecoratedParts {
  readonly sessions: SessionStore;
  /** Knows which sessions have ended. */
  readonly revocations: RevocationFollower;
  /** Makes the end of sessions known. */
  readonly revoker: Revoker;
  readonly directory: Directory;
  readonly signIn: SignIn;
}

declare module 'fastify' {
  interface FastifyInstance extends DecoratedParts {}
}

async function parts(app: FastifyInstance, parts: DecoratedParts): Promise<void> {
  app.decorate('sessions', parts.sessions);
  app.decorate('revocations', parts.revocations);
  app.decorate('revoker', parts.revoker);
  app.decorate('directory', parts.directory);
  app.decorate('signIn', parts.signIn);
}

/** Decorates the server with its parts. */
export default fp(parts, { name: 'tollgate-session-parts', fastify: '5.x' });
