// GET {prefix}/pow: issues a proof of work, priced for the address that asks.

import { randomBytes } from 'node:crypto';
import { normaliseAddress } from '@tollgate/shared/challenges/address.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { PowChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
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
  const parts = { options: route.options, ring: app.ring, limit, random: randomBytes };

  app.get(
    '/pow',
    { schema: { summary: 'A proof-of-work challenge', response: { 200: PowChallenge } } },
    async (request, reply): Promise<PowChallenge> => {
      const issue = powIssue(parts, normaliseAddress(request.ip));
      const issued = await app.challenges.issuePow(issue);
      reportLimit(reply, limit, issued);
      return powChallenge(issue, issued);
    },
  );
}
