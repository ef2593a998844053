// POST {prefix}/gate/pass: exchanges a visitor's solved challenges for a pass.

import { type Static, Type } from '@sinclair/typebox';
import { type Submission, submissionFrom, type Verdict } from '@tollgate/shared/challenges';
import { answerGuarded, challengeError, formBodies, prefersPage } from '@tollgate/shared/guard';
import {
  appendVary,
  limitTo,
  NotFound,
  OriginRefused,
  originAllowed,
  refuse,
  requestSource,
} from '@tollgate/shared/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GateSiteUnknown } from '../gate-errors.js';
import { sendAgain, sendAskingPage } from './send-page.js';

const Body = Type.Object(
  {
    return: Type.Optional(
      Type.String({
        description: 'Path and query on the site, for the redirect of a form without JavaScript',
      }),
    ),
    sent_to: Type.Optional(
      Type.String({
        description: "The page's note: its sealed network, in which the pass is valid too",
      }),
    ),
    lost: Type.Optional(Type.String({ description: 'Present if the request body before the check is lost' })),
  },
  { description: 'With the challenge fields, under their configured names' },
);
const Passed = {
  description: 'The pass; a page for a form without JavaScript whose data was lost',
  content: {
    'application/json': {
      schema: Type.Object({ expires_in: Type.Integer({ description: 'Lifetime of the pass, in seconds' }) }),
    },
    'text/html': { schema: { type: 'string' } },
  },
};
const Returned = Type.Null({
  description: 'The pass, for a form without JavaScript; `Location` is the requested page',
});

/** @param route.limitPerMinute submissions per minute and address */
export default async function passGate(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  const { gate } = app;
  await app.register(formBodies, { multipart: false });

  app.post<{ Body: Static<typeof Body> }>(
    '/gate/pass',
    {
      errorHandler: answerGuarded,
      config: {
        rateLimit: limitTo({ name: 'gate', max: limitPerMinute, shared: true }),
        sendsPages: true,
        responseHeaders: { 'Set-Cookie': 'The pass' },
        refusals: { 403: { description: 'Another origin, or no guarded site', headers: {} } },
      },
      schema: {
        operationId: 'passGate',
        summary: 'Exchange solved challenges for a pass of the gate',
        body: Body,
        response: { 200: Passed, 303: Returned },
      },
    },
    async (request, reply) => {
      appendVary(reply, 'Accept');
      const site = siteOrRefuse(request);
      const submission = submissionFrom(request.body, gate.verifier.fieldNames);
      const verdict = await verify(submission, request.ip);
      const isPage = prefersPage(request);
      const { return: wanted = '/', lost, sent_to: sentTo } = request.body;
      if (!verdict.ok && isPage) {
        request.log.info({ code: verdict.code, reason: verdict.reason }, 'challenge rejected');
        const goesTo = gate.returnAddress(wanted, site);
        return sendAskingPage(gate, request, reply, {
          site,
          wanted,
          isLost: lost !== undefined,
          note: gate.noteOf(request, site, sentTo),
          hasMoved: false,
          goesTo,
        });
      }
      if (!verdict.ok) {
        const rules = { alwaysImage: gate.options.image };
        throw await challengeError(request, gate.verifier, verdict, undefined, rules, submission);
      }
      const cookie = gate.newPassCookie(request, site, sentTo);
      if (cookie === null) throw refuse(NotFound);
      reply.header('set-cookie', cookie);
      if (!isPage) return { expires_in: gate.options.pass.seconds };
      if (lost !== undefined) return sendAgain(request, reply);
      return reply.redirect(gate.returnAddress(wanted, site), 303);
    },
  );

  /** Pages of other sites have no use for passes. */
  function siteOrRefuse(request: FastifyRequest): string {
    const site = gate.siteOf(request);
    if (site === null) throw refuse(GateSiteUnknown);
    if (!originAllowed(requestSource(request), [site])) throw refuse(OriginRefused);
    return site;
  }

  function verify(submission: Submission, ip: string): Promise<Verdict> {
    const image = gate.options.image ? 'required' : 'offered';
    return gate.verifier.verify(submission, { ip, pow: true, image });
  }
}
