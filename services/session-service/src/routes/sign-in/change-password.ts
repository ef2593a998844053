// POST /password: the user of a session replaces the password, which ends the user's other sessions.

import { Type } from '@sinclair/typebox';
import { challengeFields, PasswordChangeBody } from '@tollgate/shared/schemas';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import {
  ownPasswordOptions,
  proveOwnPassword,
  replacePassword,
  requireWritablePasswords,
} from '../../steps/own-password.js';

/** @param options.limitPerMinute logins, reauthentications and changes per minute and address */
export default async function changePassword(
  app: FastifyInstance,
  { limitPerMinute, requireBearer }: { limitPerMinute: number; requireBearer: RequireBearer },
): Promise<void> {
  app.post<{ Body: PasswordChangeBody }>(
    '/password',
    {
      ...ownPasswordOptions(limitPerMinute),
      onRequest: [requireBearer, requireWritablePasswords],
      schema: {
        operationId: 'changePassword',
        summary: 'Replace the password, and end every other session of the user',
        security: [{ bearer: [] }],
        body: Type.Object({ ...PasswordChangeBody.properties, ...challengeFields(app.captcha.options) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { old_password, new_password } = request.body;
      const user = await proveOwnPassword(request, old_password);
      await replacePassword(request, user, new_password, bearerOf(request).sid);
      return reply.code(204).send();
    },
  );
}
