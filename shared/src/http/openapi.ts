// Describes the service to programs: OpenAPI 3.1 from the schemas of its routes.

import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import fp from 'fastify-plugin';
import { ErrorBody } from '../schemas/error-body.js';

// Carries the plugin's additions to Fastify's types (`summary`, `hide`) to whoever imports this file.
export type { SwaggerOptions } from '@fastify/swagger';

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Where the service is reached. */
  readonly serverUrl: string;
  /** The credentials that the `security` of a route names, as OpenAPI describes them. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}

/** A bearer token, or a cookie. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' }
  | { readonly type: 'apiKey'; readonly in: 'cookie'; readonly name: string };

async function describeService(app: FastifyInstance, options: OpenApiOptions): Promise<void> {
  const { title, version, description, serverUrl, securitySchemes = {} } = options;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description },
      servers: [{ url: serverUrl }],
      components: { securitySchemes },
    },
    exposeHeadRoutes: true,
    transform: ({ schema, url }) => ({ schema: withErrors(schema), url }),
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

/** Every route may fail, and all failures have one form; the serialisers need not know it. */
function withErrors(schema: FastifySchema | undefined): FastifySchema {
  const { $id: _name, ...body } = ErrorBody;
  const responses = typeof schema?.response === 'object' ? schema.response : {};
  return { ...schema, response: { ...responses, default: body } };
}

/** Register it before the routes that it describes. Serves `/openapi.json`; `app.swagger()` gives the document. */
export default fp(describeService, { name: 'tollgate-openapi', fastify: '5.x' });
