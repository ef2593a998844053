// PUT /users/:id/password on the admin port: the application replaces a password, which ends every session of the user.

import { Type } from '@sinclair/typebox';
import { refuse, ValidationFailed } from '@tollgate/shared/http';
import { NewPasswordBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { longPasswords } from '../../steps/check-password.js';
import { replacePassword, requireWritablePasswords } from '../../steps/own-password.js';
import { findPathUser, UserParams } from './path-user.js';

/** Must be registered in a scope that requires the API key. */
export default async function setPassword(app: FastifyInstance): Promise<void> {
  app.put<{ Params: UserParams; Body: NewPasswordBody }>(
    '/users/:id/password',
    {
      // After the key has been checked, by the hook of the scope.
      preHandler: requireWritablePasswords,
      schema: {
        operationId: 'setPassword',
        summary: 'Set the password of a user, disabled or not, and end every session of the user',
        security: [{ apiKey: [] }],
        params: UserParams,
        body: NewPasswordBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const fields = longPasswords(request.body);
      if (fields !== undefined) throw refuse(ValidationFailed, { fields });
      const user = await findPathUser(app, request);
      await replacePassword(request, user, request.body.new_password);
      return reply.code(204).send();
    },
  );
}
