// GET {prefix}/pow: issues a proof of work, priced for the address of the client.

import { Type } from '@sinclair/typebox';
import { normaliseAddress, type RequestLimit } from '@tollgate/shared/challenges';
import { headOf } from '@tollgate/shared/http';
import { type CaptchaOptions, HashwxChallenge, PowChallenge, PowQuery } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { powChallenge, powIssue, requestedDifficulty } from '../domain/proof-of-work.js';
import { reportLimit } from '../plugins/issue-limit.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * @param route.options the options of the challenges
 * @param route.limit challenges per address
 */
export default async function issuePow(
  app: FastifyInstance,
  { options, limit }: { options: CaptchaOptions; limit: RequestLimit },
): Promise<void> {
  const deps = {
    options,
    ring: app.issuer.ring,
    limit,
    factorOf: app.limits.factorOf,
    random: app.issuer.random,
    raisedBits: app.issuer.raisedBits,
  };

  app.get<{ Querystring: PowQuery }>(
    '/pow',
    {
      config: { limited: true, head: headOf(JSON_TYPE) },
      schema: {
        operationId: 'issueProofOfWork',
        summary: 'Get a proof-of-work challenge',
        querystring: PowQuery,
        response: { 200: Type.Union([HashwxChallenge, PowChallenge]) },
      },
    },
    async (request, reply): Promise<PowChallenge | HashwxChallenge> => {
      const { scope, min_difficulty: minDifficulty, algorithms } = request.query;
      const priced = scope === undefined ? null : await app.issuer.pricedScope(scope);
      const requested = requestedDifficulty(minDifficulty);
      const prepared = powIssue(deps, normaliseAddress(request.ip), priced, requested, algorithms);
      const issued = await app.issuer.challenges.issuePow(prepared.issue);
      reportLimit(reply, prepared.issue.limit, issued);
      app.metrics.issuedWork(prepared.work.algorithm.name, issued.difficulty);
      // The serialiser of a union would first determine the variant.
      reply.type(JSON_TYPE).serializer(JSON.stringify);
      return powChallenge(prepared, issued);
    },
  );
}
