// Reads the scope ticket of a request and the failures of its account.

import { openScope } from '@tollgate/shared/challenges/attempts/scope-ticket.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { PricedScope } from '../domain/issuing.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the account that a `scope` parameter names, with its failures; null if the ticket is not valid, which is not an error. */
    pricedScope(ticket: unknown): Promise<PricedScope | null>;
  }
}

async function scope(app: FastifyInstance, { options }: { options: CaptchaOptions }): Promise<void> {
  const decayMs = options.escalation.decay * 1000;
  app.decorate('pricedScope', async (ticket: unknown) => {
    const found = options.pow.escalate ? openScope(app.ring, ticket, Date.now()) : null;
    if (found === null) return null;
    const { failures } = await app.challenges.attemptStatus(found.account, undefined, decayMs);
    return { scope: found, failures };
  });
}

/** Decorates the server with `pricedScope`. */
export default fp(scope, { name: 'tollgate-scope', fastify: '5.x', dependencies: ['tollgate-issuer'] });
