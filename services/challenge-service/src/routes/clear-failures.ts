// DELETE /host/failures: clears the failures of an account of an application, or withdraws one of them.

import { Type } from '@sinclair/typebox';
import { refuse, ValidationFailed } from '@tollgate/shared/http';
import { HostClearBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { applicationOf } from '../plugins/applications.js';

export default async function clearFailures(app: FastifyInstance): Promise<void> {
  app.delete<{ Body: HostClearBody }>(
    '/host/failures',
    {
      onRequest: app.requireHostKey,
      schema: {
        operationId: 'clearFailures',
        summary: 'Clear the failures of an account after a success, or withdraw one',
        security: [{ hostKey: [] }],
        body: HostClearBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply): Promise<void> => {
      const application = applicationOf(request);
      const { key, ip, try: id } = request.body;
      // The body is ambiguous: clearing all failures does far more than withdrawing one.
      if (ip !== undefined && id !== undefined) {
        throw refuse(ValidationFailed, { fields: { ip: ['unknown_field'] } });
      }
      if (id === undefined) await application.clearFailures(key, ip);
      else await application.withdrawFailure(key, id);
      return reply.code(204).send();
    },
  );
}
