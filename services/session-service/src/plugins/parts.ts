// Gives the routes what has a life of its own: the sessions, the directory, the check of passwords.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Directory } from '../directory/directory.js';
import type { SignIn } from '../directory/sign-in.js';
import type { SessionStore } from '../stores/session-store.js';

/** Opened and closed by server.ts. */
export interface DecoratedParts {
  readonly sessions: SessionStore;
  readonly directory: Directory;
  readonly signIn: SignIn;
}

declare module 'fastify' {
  interface FastifyInstance extends DecoratedParts {}
}

async function parts(app: FastifyInstance, { sessions, directory, signIn }: DecoratedParts): Promise<void> {
  app.decorate('sessions', sessions);
  app.decorate('directory', directory);
  app.decorate('signIn', signIn);
}

/** Decorates the server with its parts. */
export default fp(parts, { name: 'tollgate-session-parts', fastify: '5.x' });
