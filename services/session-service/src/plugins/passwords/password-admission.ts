// Admits as many requests that check a password as the bounded queue of hashing takes, before their challenges are spent.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { refusalOf } from './password-refusals.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route checks a password in the end. What finds no place in the queue of hashing is then refused with
     * Overloaded, after the form and the rate limit and before the guard.
     */
    checksPassword?: boolean;
  }
}

async function passwordAdmission(app: FastifyInstance): Promise<void> {
  const admit: preHandlerAsyncHookHandler = async (_request, reply) => {
    try {
      reply.raw.once('close', app.signIn.admit());
    } catch (error) {
      throw refusalOf(error, app.log);
    }
  };
  // The rate limit adds its hook in the same way before, the guard after.
  app.addHook('onRoute', (route) => {
    if (route.config?.checksPassword !== true) return;
    route.preHandler = [route.preHandler ?? [], admit].flat();
  });
}

/** Register it after the rate limits and before the guard. */
export default fp(passwordAdmission, {
  name: 'tollgate-password-admission',
  fastify: '5.x',
  dependencies: ['tollgate-rate-limit', 'tollgate-session-dependencies'],
});
