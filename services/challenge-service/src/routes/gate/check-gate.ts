// GET {prefix}/gate/check: tells a gateway whether a request may pass; else its answer is what the visitor gets.

import { Type } from '@sinclair/typebox';
import { refuse } from '@tollgate/shared/http/errors/errors.js';
import { prefersPage } from '@tollgate/shared/http/guard/guard-answers.js';
import { appendVary } from '@tollgate/shared/http/server/response-headers.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatePassRequired, GateRefused, GateSiteUnknown } from '../../errors.js';
import { gateOf, headerOf } from '../../plugins/gate.js';
import { sendAskingPage, sendRefusingPage } from './send-page.js';

/** Has no rate limit and asks no store: the gateway calls it for every request to the sites behind it. */
export default async function checkGate(app: FastifyInstance): Promise<void> {
  const gate = gateOf(app);

  app.get(
    '/gate/check',
    {
      config: {
        refusals: {
          403: {
            description: 'No pass, and what the visitor gets: a page for browsers, JSON for programs',
            headers: {},
          },
        },
      },
      schema: {
        operationId: 'checkGate',
        summary: 'Whether a request to a guarded site may pass, for its gateway',
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
      const { outcome, reason } = await gate.check(request, site);
      if (outcome === 'passed') return reply.code(204).send();
      for (const name of ['Accept', 'Cookie']) appendVary(reply, name);
      // The fetch of a service worker or of Turbo is shown to a person too, and names HTML as a navigation does.
      const isPage = prefersPage(request);
      if (outcome === 'refused') {
        if (isPage) return sendRefusingPage(request, reply);
        throw refuse(GateRefused);
      }
      if (!isPage) throw refuse(GatePassRequired);
      return ask(request, reply, site, reason === 'other_network');
    },
  );

  function ask(request: FastifyRequest, reply: FastifyReply, site: string, hasMoved: boolean) {
    const method = headerOf(request, 'x-forwarded-method') ?? 'GET';
    return sendAskingPage(gate, request, reply, {
      site,
      wanted: headerOf(request, 'x-forwarded-uri') ?? '/',
      isLost: method !== 'GET' && method !== 'HEAD',
      note: gate.noteOf(request, site),
      hasMoved,
    });
  }
}
