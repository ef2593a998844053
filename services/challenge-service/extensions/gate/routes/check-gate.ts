// GET {prefix}/gate/check: tells a gateway whether a request may pass; otherwise its response is meant for the visitor.

import { Type } from '@sinclair/typebox';
import { prefersPage } from '@tollgate/shared/guard';
import { appendVary, refuse } from '@tollgate/shared/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerOf } from '../gate.js';
import { GateNotLookedUp, GatePassRequired, GateRefused, GateSiteUnknown } from '../gate-errors.js';
import { sendAskingPage, sendRefusingPage } from './send-page.js';

/** Has no rate limit and reads no store: the gateway calls it for every request to the sites behind it. */
export default async function checkGate(app: FastifyInstance): Promise<void> {
  const { gate } = app;

  app.get(
    '/gate/check',
    {
      config: {
        sendsPages: true,
        refusals: {
          403: {
            description: 'No valid pass; the body is for the visitor: a page for browsers, JSON for programs',
            headers: {},
          },
          503: {
            description: 'The address of a possible robot could not be looked up',
            headers: { 'Retry-After': 'Seconds until the request may be repeated' },
          },
        },
      },
      schema: {
        operationId: 'checkGate',
        summary: 'Decide whether a request to a guarded site may pass, for its gateway',
        headers: Type.Object({
          'x-forwarded-method': Type.Optional(Type.String({ description: 'The method of the request' })),
          'x-forwarded-uri': Type.Optional(Type.String({ description: 'Its path and query' })),
        }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const site = gate.siteOf(request);
      if (site === null) throw refuse(GateSiteUnknown);
      const verdict = await gate.check(request, site);
      const { outcome, reason } = verdict;
      if (outcome === 'passed') return reply.code(204).send();
      for (const name of ['Accept', 'Cookie']) appendVary(reply, name);
      // The fetch of a service worker or of Turbo is shown to a person too, and accepts HTML like a navigation.
      const isPage = prefersPage(request);
      if (outcome === 'refused') {
        if (isPage) return sendRefusingPage(request, reply);
        throw refuse(GateRefused);
      }
      const isUnknown = reason === 'not_looked_up';
      if (isUnknown) reply.header('retry-after', Math.ceil(verdict.retryMs / 1000));
      if (!isPage) throw refuse(isUnknown ? GateNotLookedUp : GatePassRequired);
      // A robot returns after a 503, and drops the page after a 403. A person can use the page of both.
      return ask(request, reply, site, {
        hasMoved: reason === 'other_network',
        status: isUnknown ? 503 : 403,
      });
    },
  );

  function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    site: string,
    { hasMoved, status }: { readonly hasMoved: boolean; readonly status: number },
  ) {
    const method = headerOf(request, 'x-forwarded-method') ?? 'GET';
    const visit = {
      site,
      wanted: headerOf(request, 'x-forwarded-uri') ?? '/',
      isLost: method !== 'GET' && method !== 'HEAD',
      note: gate.noteOf(request, site),
      hasMoved,
    };
    return sendAskingPage(gate, request, reply, visit, status);
  }
}
