// GET /verify: forward authentication; tells a gateway which user a request belongs to.

import { Type } from '@sinclair/typebox';
import { bearerOf } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';

/** Has no rate limit: the gateway calls it for every request to the services behind it. */
export default async function verify(app: FastifyInstance): Promise<void> {
  app.get(
    '/verify',
    {
      onRequest: app.requireBearer,
      config: {
        answerHeaders: {
          'X-Auth-User-Id': 'The id of the user',
          'X-Auth-User-Email': 'The e-mail in UTF-8, percent-encoded',
          'X-Auth-Session-Id': 'The session',
          'X-Auth-Time':
            'When the user was authenticated, in seconds since 1970; absent if that is not known',
          'X-Auth-Amr':
            'The authentication methods (`amr`), separated by commas; absent if they are not known',
        },
      },
      schema: {
        operationId: 'verify',
        summary: 'Whether the access token is valid, and whose it is, in headers',
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, email, sid, amr, auth_time } = bearerOf(request);
      reply.headers({
        'x-auth-user-id': String(id),
        'x-auth-user-email': headerText(email),
        'x-auth-session-id': sid,
        ...(auth_time && { 'x-auth-time': String(auth_time) }),
        ...(amr && { 'x-auth-amr': amr.join() }),
      });
      return reply.code(204).send();
    },
  );
}

/**
 * Encodes text for a header: UTF-8, with `%` and every byte outside printable ASCII percent-encoded. Spaces are encoded
 * too, because HTTP drops them at both ends of a value.
 */
export function headerText(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]/gu, encodeBytes);
}

function encodeBytes(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
