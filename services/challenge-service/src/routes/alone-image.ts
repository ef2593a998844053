// GET {prefix}/no-script/{token}.png: an image under a token chosen by the page, accepted without work.

import type { Static } from '@sinclair/typebox';
import { normaliseAddress, type RequestLimit } from '@tollgate/shared/challenges';
import { limitTo, refuse } from '@tollgate/shared/http';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import type { RequestCounter } from '@tollgate/shared/store';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { imageIssue, mayHaveImage, type PreparedChallenge } from '../domain/image-challenge.js';
import { NoImageLibrary } from '../errors.js';
import { reportLimit } from '../plugins/issue-limit.js';
import { findPreset } from '../presets/presets.js';
import { drawRecord, ImageParams, imagePath, Png, sendPng } from './draw-image.js';

/** The preset of these images, if the operator has one of this name; else `default`. The client has no choice. */
const PRESET = 'no-script';

/**
 * Adds the route if `CAPTCHA_NO_SCRIPT` is `image` and its preset has images.
 * @param route.limit new images that an address may request here
 * @param route.limitPerMinute drawings per minute and address, shared with other images
 * @param route.resourcePolicy the value of `Cross-Origin-Resource-Policy`
 * @param route.countRequest counts new images on the store
 */
export default async function aloneImage(
  app: FastifyInstance,
  route: {
    options: CaptchaOptions;
    limit: RequestLimit;
    limitPerMinute: number;
    resourcePolicy: 'same-site' | 'cross-origin';
    countRequest: RequestCounter;
  },
): Promise<void> {
  const { options, limit } = route;
  const deps = {
    options,
    ring: app.issuer.ring,
    limit,
    factorOf: app.limits.factorOf,
    random: app.issuer.random,
  };
  const preset = findPreset(app.issuer.presets, PRESET) ?? findPreset(app.issuer.presets, '');
  if (options.no_script !== 'image' || preset === undefined || !mayHaveImage(preset)) return;
  const countIssued = app.metrics.issued(preset.kind?.name ?? 'image', preset.name);

  app.get<{ Params: Static<typeof ImageParams> }>(
    `/no-script${imagePath}`,
    {
      config: {
        head: async (_request, reply) => sendPng(reply, route.resourcePolicy),
        rateLimit: limitTo({ name: 'png', max: route.limitPerMinute, shared: true }),
        responseHeaders: {
          'Cross-Origin-Resource-Policy': 'Whether pages of another site may show the image',
          'X-Captcha-Answer': 'The answer, in test mode',
        },
      },
      schema: {
        operationId: 'drawImageWithoutScript',
        summary: 'Get an image that replaces work, for a page without JavaScript',
        params: ImageParams,
        response: { 200: Png },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const record =
        (await app.issuer.challenges.readImage(token)) ?? (await issue(token, request.ip, reply));
      const png = await drawRecord(app, token, record);
      return sendPng(reply, route.resourcePolicy, png);
    },
  );

  async function issue(token: string, ip: string, reply: FastifyReply): Promise<string | null> {
    if (preset === undefined) return null;
    if (app.issuer.images === null) throw refuse(NoImageLibrary);
    const driver = await app.issuer.images.identity();
    const prepared = imageIssue(deps, preset, driver, normaliseAddress(ip), { token });
    await countOrRefuse(prepared, reply);
    const record = await app.issuer.challenges.recordImage(prepared.issue);
    if (record === null) return null;
    countIssued();
    if (options.test_mode) reply.header('x-captcha-answer', prepared.answer ?? '');
    return record;
  }

  /** Counts for the address and its networks, each in a window of its own. @throws RateLimited */
  async function countOrRefuse({ issue }: PreparedChallenge, reply: FastifyReply): Promise<void> {
    const { address, networks = [], limit } = issue;
    const limits = [limit.max, ...(limit.networkMax ?? [])];
    for (const [at, pseudonym] of [address, ...networks].entries()) {
      const counted = await route.countRequest(`no-script:${pseudonym}`, limit.windowMs);
      if (counted.count > (limits[at] ?? limit.max)) {
        reportLimit(reply, limit, { allowed: false, limit: { ...counted, count: limit.max + 1 } });
      }
    }
  }
}
