// GET /.well-known/jwks.json: the public keys of access tokens, for whoever verifies them.

import { Type } from '@sinclair/typebox';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { hasCurrent } from '@tollgate/shared/http/server/responses.js';
import { JWKS_MAX_AGE_SECONDS, type PublishedKeys } from '@tollgate/shared/http/tokens/public-tokens.js';
import { JwksBody } from '@tollgate/shared/schemas/json-web-keys.js';
import type { FastifyInstance } from 'fastify';

/**
 * @param options.published the keys of `ACCESS_SIGNING_KEYS`; none without that variable
 * @param options.limitPerMinute requests per minute and address
 */
export default async function jwks(
  app: FastifyInstance,
  { published, limitPerMinute }: { published: PublishedKeys; limitPerMinute: number },
): Promise<void> {
  const { body, etag } = published;
  const cacheControl = `public, max-age=${JWKS_MAX_AGE_SECONDS}`;
  app.get(
    '/.well-known/jwks.json',
    {
      config: {
        rateLimit: limitTo({ name: 'jwks', max: limitPerMinute }),
        answerHeaders: {
          'Cache-Control': 'How long the keys may be kept',
          ETag: 'Names this set of keys, for If-None-Match',
        },
      },
      schema: {
        operationId: 'publicKeys',
        summary: 'The public keys that verify access tokens in the format `public` (RFC 7517)',
        response: { 200: JwksBody, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      reply.headers({ 'cache-control': cacheControl, etag });
      if (hasCurrent(request, etag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );
}
