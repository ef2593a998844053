// POST /host/failures: records a failure on an account of an application.

import { HostFailure, HostFailureBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { applicationOf } from '../plugins/applications.js';

export default async function recordFailure(app: FastifyInstance): Promise<void> {
  app.post<{ Body: HostFailureBody }>(
    '/host/failures',
    {
      onRequest: app.requireHostKey,
      schema: {
        operationId: 'recordFailure',
        summary: 'Record a failure, or count an attempt before its outcome is known',
        security: [{ hostKey: [] }],
        body: HostFailureBody,
        response: { 200: HostFailure },
      },
    },
    async (request): Promise<HostFailure> => {
      const application = applicationOf(request);
      const { key, ip } = request.body;
      const { failures, id } = await application.recordFailure(key);
      return { failures, ...(await application.nextAttempt(key, failures, ip)), try: id };
    },
  );
}
