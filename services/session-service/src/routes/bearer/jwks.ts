// GET /.well-known/jwks.json: the public keys of access tokens, for their verifiers.

import { Type } from '@sinclair/typebox';
import { hasCurrent, limitTo } from '@tollgate/shared/http';
import { JWKS_MAX_AGE_SECONDS, type PublishedKeys } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';

/** The algorithms that sign access tokens in the format `public`. */
const SigningAlgorithm = Type.Union([Type.Literal('EdDSA'), Type.Literal('ES256')]);

const coordinate = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description });

/** One public key (RFC 7517, 4). */
const JsonWebKey = Type.Object(
  {
    kty: Type.Union([Type.Literal('OKP'), Type.Literal('EC')]),
    crv: Type.Union([Type.Literal('Ed25519'), Type.Literal('P-256')]),
    x: coordinate('The Ed25519 public key, or the first coordinate'),
    y: Type.Optional(coordinate('The second coordinate, for P-256')),
    kid: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Key id, in the header of tokens' }),
    alg: SigningAlgorithm,
    use: Type.Literal('sig'),
  },
  { $id: 'JsonWebKey' },
);
/** Answer to `GET /.well-known/jwks.json` (RFC 7517, 5). */
const JwksBody = Type.Object(
  { keys: Type.Array(JsonWebKey, { description: 'All accepted keys; the first signs' }) },
  { $id: 'JwksBody' },
);

interface JwksOptions {
  /** The keys of `ACCESS_SIGNING_KEYS`; none without that variable. */
  readonly published: PublishedKeys;
  /** The keys of page tokens, another set so that no verifier of access tokens accepts one; null without page cookie. */
  readonly publishedForPages: PublishedKeys | null;
  /** Requests per minute and address. */
  readonly limitPerMinute: number;
}

export default async function jwks(
  app: FastifyInstance,
  { published, publishedForPages, limitPerMinute }: JwksOptions,
): Promise<void> {
  serveKeys(app, published, limitPerMinute, {
    url: '/.well-known/jwks.json',
    operationId: 'publicKeys',
    summary: 'Get the public keys for access tokens in the format `public` (RFC 7517)',
  });
  if (publishedForPages === null) return;
  serveKeys(app, publishedForPages, limitPerMinute, {
    url: '/verify/page/jwks.json',
    operationId: 'publicPageKeys',
    summary: 'Get the public keys for page cookies in the format `public` (RFC 7517)',
  });
}

interface KeysRoute {
  readonly url: string;
  readonly operationId: string;
  readonly summary: string;
}

function serveKeys(
  app: FastifyInstance,
  { body, etag }: PublishedKeys,
  limitPerMinute: number,
  { url, operationId, summary }: KeysRoute,
): void {
  const cacheControl = `public, max-age=${JWKS_MAX_AGE_SECONDS}`;
  app.get(
    url,
    {
      config: {
        rateLimit: limitTo({ name: 'jwks', max: limitPerMinute }),
        responseHeaders: {
          'Cache-Control': 'Cache lifetime of the keys',
          ETag: 'Version of this key set, for If-None-Match',
        },
      },
      schema: {
        operationId,
        summary,
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
