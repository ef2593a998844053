// GET {prefix}/{token}.png: draws the image of a live challenge, the same bytes each time.

import { type Static, Type } from '@sinclair/typebox';
import { limitTo, NotFound, Overloaded, refuse } from '@tollgate/shared/http';
import { TOKEN_CHARACTERS, TOKEN_PATTERN } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { drawingOf } from '../domain/drawing.js';
import { ImageUnavailable, NoImageLibrary } from '../errors.js';
import type { DrawingJob } from '../image/derivation.js';
import { type ImagePool, ImageQueueFullError } from '../renderer/image-pool.js';

/** The path of an image, after its prefix; its parameters. */
export const imagePath = `/:token(^[A-Za-z0-9]{${TOKEN_CHARACTERS}}$).png`;
export const ImageParams = Type.Object({ token: Type.String({ pattern: TOKEN_PATTERN }) });

export const Png = {
  description: 'The PNG; the same bytes each time',
  content: { 'image/png': { schema: { type: 'string', contentMediaType: 'image/png' } } },
};

/**
 * @param route.limitPerMinute images per minute and address
 * @param route.resourcePolicy the value of `Cross-Origin-Resource-Policy`
 */
export default async function drawImage(
  app: FastifyInstance,
  route: { limitPerMinute: number; resourcePolicy: 'same-site' | 'cross-origin' },
): Promise<void> {
  app.get<{ Params: Static<typeof ImageParams> }>(
    imagePath,
    {
      config: {
        head: async (request, reply) => {
          const { token } = request.params as Static<typeof ImageParams>;
          await findDrawing(app, token, await app.issuer.challenges.readImage(token));
          return sendPng(reply, route.resourcePolicy);
        },
        rateLimit: limitTo({ name: 'png', max: route.limitPerMinute, shared: true }),
        responseHeaders: {
          'Cross-Origin-Resource-Policy': 'Whether pages of another site may show the image',
        },
      },
      schema: {
        operationId: 'drawImage',
        summary: 'Get the image of a challenge',
        params: ImageParams,
        response: { 200: Png },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const png = await drawRecord(app, token, await app.issuer.challenges.readImage(token));
      return sendPng(reply, route.resourcePolicy, png);
    },
  );
}

/** Sends an image; without one, the response to HEAD. */
export function sendPng(
  reply: FastifyReply,
  resourcePolicy: 'same-site' | 'cross-origin',
  png?: Buffer,
): FastifyReply {
  return reply.type('image/png').header('cross-origin-resource-policy', resourcePolicy).send(png);
}

/**
 * Draws the image of a record.
 * @param encoded null if there is no live record
 * @throws NotFound, NoImageLibrary, ImageUnavailable, Overloaded
 */
export async function drawRecord(
  app: FastifyInstance,
  token: string,
  encoded: string | null,
): Promise<Buffer> {
  const { images, job } = await findDrawing(app, token, encoded);
  try {
    return Buffer.from(await images.draw(job));
  } catch (error) {
    if (error instanceof ImageQueueFullError) throw refuse(Overloaded, { headers: { 'retry-after': 1 } });
    throw error;
  }
}

/**
 * Returns the drawing inputs for the image of a record.
 * @param encoded null if there is no live record
 * @throws NotFound, NoImageLibrary, ImageUnavailable
 */
export async function findDrawing(
  app: FastifyInstance,
  token: string,
  encoded: string | null,
): Promise<{ readonly images: ImagePool; readonly job: DrawingJob }> {
  const { images, presets, ring } = app.issuer;
  const driver = encoded === null || images === null ? null : await images.identity();
  const drawing = drawingOf(encoded, token, { ring, presets, driver });
  if (drawing.outcome === 'unknown') throw refuse(NotFound);
  if (drawing.outcome === 'no_library' || images === null) throw refuse(NoImageLibrary);
  if (drawing.outcome !== 'draw') {
    if (drawing.outcome === 'other_driver') app.issuer.onOtherDriver(drawing.other);
    else app.issuer.onOtherPreset(drawing.other);
    throw refuse(ImageUnavailable, { headers: { 'retry-after': 1 } });
  }
  return { images, job: drawing.job };
}
