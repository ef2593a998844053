// Reads the scope ticket of a request: the failures of its account, and the demand of its form.

import { presetMark } from '@tollgate/shared/challenges/attempts/demand.js';
import { openTicket } from '@tollgate/shared/challenges/attempts/scope-ticket.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { PricedScope } from '../domain/issuing.js';
import type { NamedPreset } from '../presets/presets.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Returns what a `scope` parameter says: the account, with its failures, and the demand of the form. Null if the ticket
     * is not valid, which is not an error.
     */
    pricedScope(ticket: unknown): Promise<PricedScope | null>;
    /** Returns the preset that the form of a ticket demands: it would refuse an image of another. Does not read the store. */
    demandedPreset(ticket: unknown): NamedPreset | undefined;
  }
}

async function scope(app: FastifyInstance, { options }: { options: CaptchaOptions }): Promise<void> {
  const decayMs = options.escalation.decay * 1000;
  const open = (ticket: unknown) => (options.pow.escalate ? openTicket(app.ring, ticket, Date.now()) : null);
  const presetOfMark = new Map([...app.presets.values()].map((known) => [presetMark(known.name), known]));
  app.decorate('demandedPreset', (ticket: unknown) =>
    ticket === undefined ? undefined : presetOfMark.get(open(ticket)?.demand?.preset ?? 0),
  );
  app.decorate('pricedScope', async (ticket: unknown) => {
    const found = open(ticket);
    if (found === null) return null;
    const { scope, demand } = found;
    if (scope === null) return { scope, failures: 0, demand };
    const { failures } = await app.challenges.attemptStatus(scope.account, undefined, decayMs);
    return { scope, failures, demand };
  });
}

/** Decorates the server with `pricedScope` and `demandedPreset`. */
export default fp(scope, { name: 'tollgate-scope', fastify: '5.x', dependencies: ['tollgate-issuer'] });
