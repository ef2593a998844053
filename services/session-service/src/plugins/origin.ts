// Refuses cross-site requests to the routes that use the refresh cookie.

import { refuseForeignOrigins } from '@tollgate/shared/http/server/origin-check.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** An `onRequest` hook that refuses requests from pages of other origins. */
    refuseForeignOrigins(request: FastifyRequest): Promise<void>;
  }
}

async function origin(app: FastifyInstance, { allowed }: { allowed: readonly string[] }): Promise<void> {
  app.decorate('refuseForeignOrigins', refuseForeignOrigins(allowed));
}

/** Decorates the server with `refuseForeignOrigins`. */
export default fp(origin, { name: 'tollgate-origin', fastify: '5.x' });
