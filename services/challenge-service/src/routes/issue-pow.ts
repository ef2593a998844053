// GET {prefix}/pow: issues a proof of work, priced for the address that asks.

import { normaliseAddress } from '@tollgate/shared/challenges/attempts/normalise.js';
import type { RequestLimit } from '@tollgate/shared/challenges/store/challenge-store.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { PowChallenge, PowQuery } from '@tollgate/shared/schemas/challenge-bodies.js';
import type { FastifyInstance } from 'fastify';
import { askedDifficulty, powChallenge, powIssue } from '../domain/proof-of-work.js';
import { reportLimit } from '../plugins/issue-limit.js';

/**
 * @param route.options the options of the challenges
 * @param route.limit challenges that an address may ask for
 */
export default async function issuePow(
  app: FastifyInstance,
  { options, limit }: { options: CaptchaOptions; limit: RequestLimit },
): Promise<void> {
  const deps = { options, ring: app.ring, limit, random: app.random };

  app.get<{ Querystring: PowQuery }>(
    '/pow',
    {
      config: { limited: true },
      schema: {
        operationId: 'issueProofOfWork',
        summary: 'A proof-of-work challenge',
        querystring: PowQuery,
        response: { 200: PowChallenge },
      },
    },
    async (request, reply): Promise<PowChallenge> => {
      const priced = await app.pricedScope(request.query.scope);
      const asked = askedDifficulty(request.query.min_difficulty);
      const prepared = powIssue(deps, normaliseAddress(request.ip), priced, asked);
      const issued = await app.challenges.issuePow(prepared.issue);
      reportLimit(reply, limit, issued);
      app.figures.issuedWork(issued.difficulty);
      return powChallenge(prepared, issued);
    },
  );
}
