// GET /verify/page: tells a gateway or a server that renders pages the user of a request that changes nothing.

import { Type } from '@sinclair/typebox';
import { refuse, SessionRevoked, TokenInvalid } from '@tollgate/shared/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PageCookie } from '../../plugins/page-cookie.js';
import { IDENTITY_HEADERS, sendIdentity } from '../bearer/verify.js';

/** The headers in which gateways name the method of the original request. */
const METHOD_HEADERS = ['x-forwarded-method', 'x-original-method'] as const;

const Method = Type.Optional(Type.String({ description: 'Method of the original request: `GET` or `HEAD`' }));

/** Has no rate limit, as `GET /verify`. */
export default async function verifyPage(
  app: FastifyInstance,
  { pageCookie }: { pageCookie: PageCookie },
): Promise<void> {
  let isWarned = false;

  app.get(
    '/verify/page',
    {
      config: {
        responseHeaders: { ...IDENTITY_HEADERS, 'Cache-Control': 'Always `private, no-store`' },
        refusals: {
          401: {
            description:
              'The page cookie is missing or no longer valid, or the original method is not `GET` or `HEAD`',
            headers: { 'Set-Cookie': 'Clears the page cookie of an ended session' },
          },
        },
      },
      schema: {
        operationId: 'verifyPage',
        summary: 'Verify the page cookie of a `GET` or `HEAD` request, with its user in headers',
        security: [{ pageCookie: [] }],
        headers: Type.Object(Object.fromEntries(METHOD_HEADERS.map((name) => [name, Method]))),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      pageCookie.keepPrivate(reply);
      if (!isSafe(request)) throw refuse(TokenInvalid);
      const verdict = await pageCookie.verify(request);
      if (verdict.ok) return sendIdentity(reply, verdict.claims);
      if (verdict.reason !== 'revoked') throw refuse(TokenInvalid);
      pageCookie.clear(reply);
      throw refuse(SessionRevoked);
    },
  );

  /** Whether every header that names the original method names a safe one, and there is one. */
  function isSafe({ headers, log }: FastifyRequest): boolean {
    const named = METHOD_HEADERS.flatMap((name) => headers[name] ?? []);
    if (named.length === 0 && !isWarned) {
      isWarned = true;
      log.warn('GET /verify/page needs X-Forwarded-Method with the method of the original request');
    }
    return named.length > 0 && named.every((method) => method === 'GET' || method === 'HEAD');
  }
}
