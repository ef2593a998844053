// GET {prefix}/sites/{sitekey}/pow: issues a proof of work that only this site redeems.

import { Type } from '@sinclair/typebox';
import { normaliseAddress } from '@tollgate/shared/challenges';
import { headOf } from '@tollgate/shared/http';
import { HashwxChallenge, PowChallenge } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { powChallenge, powIssue, requestedDifficulty } from '../../../src/domain/proof-of-work.js';
import { reportLimit } from '../../../src/plugins/issue-limit.js';
import { SITE_PATH, SiteParams, SitePowQuery } from '../site-bodies.js';
import { siteOf } from '../sites.js';

const JSON_TYPE = 'application/json; charset=utf-8';

export default async function issueSitePow(app: FastifyInstance): Promise<void> {
  app.get<{ Params: SiteParams; Querystring: SitePowQuery }>(
    `${SITE_PATH}/pow`,
    {
      onRequest: app.sites.requireSite,
      config: { limited: true, head: headOf(JSON_TYPE) },
      schema: {
        operationId: 'issueSiteProofOfWork',
        summary: 'Get a proof-of-work challenge of a site',
        params: SiteParams,
        querystring: SitePowQuery,
        response: { 200: Type.Union([HashwxChallenge, PowChallenge]) },
      },
    },
    async (request, reply): Promise<PowChallenge | HashwxChallenge> => {
      const { site, challenges, issuer } = siteOf(request);
      const { min_difficulty: minDifficulty, algorithms } = request.query;
      const requested = requestedDifficulty(minDifficulty);
      const prepared = powIssue(issuer, normaliseAddress(request.ip), null, requested, algorithms);
      const issued = await challenges.issuePow(prepared.issue);
      reportLimit(reply, prepared.issue.limit, issued);
      app.metrics.issuedWork(prepared.work.algorithm.name, issued.difficulty);
      app.sites.counters.issued(site.key, 'pow');
      // The serialiser of a union would first determine the variant.
      reply.type(JSON_TYPE).serializer(JSON.stringify);
      return powChallenge(prepared, issued);
    },
  );
}
