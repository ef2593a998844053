// GET {prefix}/sites/{sitekey} and its images: the second challenge of a site that requires an image.

import { type Static, Type } from '@sinclair/typebox';
import type { RequestLimit } from '@tollgate/shared/challenges';
import { headOf, limitTo, NotFound, refuse } from '@tollgate/shared/http';
import { ImageQuery, TOKEN_PATTERN } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { drawRecord, findDrawing, imagePath, Png, sendPng } from '../../../src/routes/draw-image.js';
import { AnyChallenge, checkPreset, issueAnyImage } from '../../../src/routes/issue-image.js';
import { SITE_PATH, SiteParams } from '../site-bodies.js';
import { type ServedSite, siteOf } from '../sites.js';

const JSON_TYPE = 'application/json; charset=utf-8';

const SiteImageQuery = Type.Omit(ImageQuery, ['scope']);
const SiteImageParams = Type.Object({
  ...SiteParams.properties,
  token: Type.String({ pattern: TOKEN_PATTERN }),
});

/**
 * @param route.imagesUrl absolute URL of the prefix
 * @param route.limit challenges per address, on each site
 * @param route.limitPerMinute drawings per minute and address, shared with other images
 */
export default async function siteImage(
  app: FastifyInstance,
  route: { imagesUrl: string; limit: RequestLimit; limitPerMinute: number },
): Promise<void> {
  app.get<{ Params: SiteParams; Querystring: ImageQuery }>(
    SITE_PATH,
    {
      onRequest: app.sites.requireSite,
      config: {
        limited: true,
        head: headOf(JSON_TYPE, (request) => {
          const { issuer: deps } = withImage(request);
          checkPreset(app, { deps, honoursTickets: false }, request.query as ImageQuery);
        }),
      },
      schema: {
        operationId: 'issueSiteImage',
        summary: 'Get an image challenge of a site that requires one, or its replacement',
        params: SiteParams,
        querystring: SiteImageQuery,
        response: { 200: AnyChallenge },
      },
    },
    (request, reply) => {
      const { site, challenges, issuer } = withImage(request);
      const source = {
        deps: { ...issuer, limit: route.limit },
        challenges,
        honoursTickets: false,
        imagesUrl: () => `${route.imagesUrl}/sites/${site.key}`,
        onIssued(challenge: string, preset: string) {
          app.metrics.issued(challenge, preset)();
          app.sites.counters.issued(site.key, challenge);
        },
      };
      return issueAnyImage(app, source, request, reply);
    },
  );

  app.get<{ Params: SiteParams & { token: string } }>(
    `${SITE_PATH}${imagePath}`,
    {
      onRequest: app.sites.requireSite,
      config: {
        head: async (request, reply) => {
          const { token } = request.params as Static<typeof SiteImageParams>;
          await findDrawing(app, token, await withImage(request).challenges.readImage(token));
          return sendPng(reply, 'cross-origin');
        },
        rateLimit: limitTo({ name: 'png', max: route.limitPerMinute, shared: true }),
        responseHeaders: { 'Cross-Origin-Resource-Policy': 'Lets pages of other sites show it' },
      },
      schema: {
        operationId: 'drawSiteImage',
        summary: "Get the image of a site's challenge",
        params: SiteImageParams,
        response: { 200: Png },
      },
    },
    async (request, reply) => {
      const { challenges } = withImage(request);
      const { token } = request.params;
      const png = await drawRecord(app, token, await challenges.readImage(token));
      return sendPng(reply, 'cross-origin', png);
    },
  );
}

/** @throws NotFound for a site that requires no image */
function withImage(request: FastifyRequest): ServedSite {
  const served = siteOf(request);
  if (served.site.image !== 'always') throw refuse(NotFound);
  return served;
}
