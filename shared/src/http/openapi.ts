// Describes the service to programs: OpenAPI 3.1 from the schemas of its routes.

import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

// Carries the plugin's additions to Fastify's types (`summary`, `hide`) to whoever imports this file.
export type { SwaggerOptions } from '@fastify/swagger';

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Where the service is reached. */
  readonly serverUrl: string;
}

async function describeService(app: FastifyInstance, options: OpenApiOptions): Promise<void> {
  const { title, version, description, serverUrl } = options;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description },
      servers: [{ url: serverUrl }],
    },
    // Shared schemas keep their names.
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema.$id === 'string' ? schema.$id : `Schema${index}`,
    },
  });
  let document: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });
}

/** Register it before the routes that it describes. Serves `/openapi.json`; `app.swagger()` gives the document. */
export default fp(describeService, { name: 'tollgate-openapi', fastify: '5.x' });
