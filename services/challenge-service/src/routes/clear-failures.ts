// DELETE /host/failures: forgets the failures of an account of a host, or withdraws one.

import { Type } from '@sinclair/typebox';
import { refuse, ValidationFailed } from '@tollgate/shared/http/errors/errors.js';
import { HostClearBody } from '@tollgate/shared/schemas/host-bodies.js';
import type { FastifyInstance } from 'fastify';
import { callingApplication, requireAddress } from '../plugins/applications.js';

export default async function clearFailures(app: FastifyInstance): Promise<void> {
  app.delete<{ Body: HostClearBody }>(
    '/host/failures',
    {
      onRequest: app.requireHostKey,
      schema: {
        operationId: 'clearFailures',
        summary: 'Forget the failures of an account after a success, or withdraw one of them',
        security: [{ hostKey: [] }],
        body: HostClearBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply): Promise<void> => {
      const host = callingApplication(request);
      const { key, ip, try: id } = request.body;
      requireAddress(ip);
      // Which of the two is meant cannot be told, and one of them forgets far more than the other.
      if (ip !== undefined && id !== undefined) {
        throw refuse(ValidationFailed, { fields: { ip: ['unknown_field'] } });
      }
      if (id === undefined) await host.clearFailures(key, ip);
      else await host.withdrawFailure(key, id);
      return reply.code(204).send();
    },
  );
}
