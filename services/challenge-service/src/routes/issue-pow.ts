// GET {prefix}/pow: issues a proof of work, priced for the address that asks.

import { normaliseAddress } from '@tollgate/shared/challenges/address.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { PowChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import { ScopeQuery } from '@tollgate/shared/schemas/challenge-queries.js';
import type { FastifyInstance } from 'fastify';
import { powChallenge, powIssue } from '../domain/proof-of-work.js';
import { reportLimit } from '../plugins/issue-limit.js';

/**
 * @param route.options the options of the challenges
 * @param route.limitPerMinute challenges per minute and address
 */
export default async function issuePow(
  app: FastifyInstance,
  route: { options: CaptchaOptions; limitPerMinute: number },
): Promise<void> {
  const limit = { max: route.limitPerMinute, windowMs: 60_000 };
  const parts = { options: route.options, ring: app.ring, limit, random: app.random };

  app.get<{ Querystring: ScopeQuery }>(
    '/pow',
    {
      schema: {
        summary: 'A proof-of-work challenge',
        querystring: ScopeQuery,
        response: { 200: PowChallenge },
      },
    },
    async (request, reply): Promise<PowChallenge> => {
      const priced = await app.pricedScope(request.query.scope);
      const prepared = powIssue(parts, normaliseAddress(request.ip), priced);
      const issued = await app.challenges.issuePow(prepared.issue);
      reportLimit(reply, limit, issued);
      app.figures.issuedWork(issued.difficulty);
      return powChallenge(prepared, issued);
    },
  );
}
