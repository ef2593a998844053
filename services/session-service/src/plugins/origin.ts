// Refuses cross-site requests that change state, on every route of the service.

import { refuseForeignOrigins } from '@tollgate/shared/http/server/origin-check.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** @param options.allowed origins as browsers send them: scheme, host, port */
async function origin(app: FastifyInstance, { allowed }: { allowed: readonly string[] }): Promise<void> {
  app.addHook('onRequest', refuseForeignOrigins(allowed));
}

/** Adds the check to the server, so that no route can lack it. */
export default fp(origin, { name: 'tollgate-origin', fastify: '5.x' });
