// GET /verify: forward authentication; tells a gateway the user of a request.

import { Type } from '@sinclair/typebox';
import type { AccessClaims } from '@tollgate/shared/schemas';
import { bearerOf } from '@tollgate/shared/tokens';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The headers with the user, for their description. */
export const IDENTITY_HEADERS = {
  'X-Auth-User-Id': 'User id',
  'X-Auth-User-Email': 'E-mail address in UTF-8, percent-encoded',
  'X-Auth-Session-Id': 'Session id',
  'X-Auth-Time': 'Time of authentication, in seconds since 1970; absent if unknown',
  'X-Auth-Amr': 'Authentication methods (`amr`), separated by commas; absent if unknown',
} as const;

/** Has no rate limit: the gateway calls it for every request to the services behind it. */
export default async function verify(app: FastifyInstance): Promise<void> {
  app.get(
    '/verify',
    {
      onRequest: app.requireBearer,
      config: {
        responseHeaders: IDENTITY_HEADERS,
      },
      schema: {
        operationId: 'verify',
        summary: 'Verify the access token, with its user in headers',
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => sendIdentity(reply, bearerOf(request)),
  );
}

/** Responds with the user of verified claims in headers. */
export function sendIdentity(
  reply: FastifyReply,
  { id, email, sid, amr, auth_time }: Readonly<AccessClaims>,
): FastifyReply {
  reply.headers({
    'x-auth-user-id': String(id),
    'x-auth-user-email': headerText(email),
    'x-auth-session-id': sid,
    ...(auth_time && { 'x-auth-time': String(auth_time) }),
    ...(amr && { 'x-auth-amr': amr.join() }),
  });
  return reply.code(204).send();
}

/**
 * Encodes a string for a header: UTF-8, with `%` and every byte outside printable ASCII percent-encoded. Spaces are encoded
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
