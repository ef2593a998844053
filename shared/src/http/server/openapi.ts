// Describes a service in OpenAPI 3.1, from the schemas of its routes.

import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { ErrorBody } from '../../schemas/error-body.js';
import {
  ANSWER_HEADERS,
  type AnswerHeader,
  CROSS_ORIGIN,
  EVERY_ANSWER,
  errorAnswers,
  factsOf,
  limitHeaders,
} from './openapi-answers.js';

// Bring the additions of the plugin (`summary`, `hide`) and ours (`limited`, `answerHeaders`) to Fastify's types.
export type { SwaggerOptions } from '@fastify/swagger';
export type { RouteFacts } from './openapi-answers.js';

/** The options of the plugin. */
export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The public address of the service. */
  readonly serverUrl: string;
  /** The credentials that the `security` of a route names, as OpenAPI describes them. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}

/** A bearer token, or a cookie. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' }
  | { readonly type: 'apiKey'; readonly in: 'cookie'; readonly name: string };

/** What holds for every path, and no operation says. */
const METHODS =
  'HEAD is answered as GET is, without a body and without effect. A method that a path does not have is 405 (`method_not_allowed`), and `Allow` names those that it has.';

async function describeService(app: FastifyInstance, options: OpenApiOptions): Promise<void> {
  const routes: RouteOptions[] = [];
  const scopes = [app];
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route);
  });
  app.addHook('onRegister', (scope) => {
    scopes.push(scope);
  });
  let document: Promise<string> | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= writeDocument(app, options, { routes, scopes });
    return reply.type('application/json; charset=utf-8').send(await document);
  });
}

/** What the document describes: all routes, and the scopes whose schemas they refer to. */
interface Described {
  readonly routes: readonly RouteOptions[];
  readonly scopes: readonly FastifyInstance[];
}

/**
 * Writes the document at its first request: loading the generator would take a good part of the start of a process. The
 * generator listens to the routes of an application as they are added, so it gets a copy that has nothing else.
 */
async function writeDocument(
  app: FastifyInstance,
  options: OpenApiOptions,
  { routes, scopes }: Described,
): Promise<string> {
  const { title, version, description, serverUrl, securitySchemes = {} } = options;
  const copy = Fastify({ exposeHeadRoutes: false });
  copy.setValidatorCompiler(() => () => true);
  copy.setSerializerCompiler(() => () => '');
  await copy.register(import('@fastify/swagger'), {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description: `${description}. ${METHODS}` },
      servers: [{ url: serverUrl }],
      components: { securitySchemes },
    },
    transform: ({ schema, url, route }) => ({ schema: annotate(schema, route), url }),
    transformObject: (made) => withAnswers('openapiObject' in made ? made.openapiObject : {}, app),
    // Shared schemas keep their names.
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema.$id === 'string' ? schema.$id : `Schema${index}`,
    },
  });
  const schemas = Object.assign({}, ...scopes.map((scope) => scope.getSchemas()));
  for (const schema of Object.values(schemas)) copy.addSchema(schema);
  for (const route of routes) copy.route({ ...route, exposeHeadRoute: false });
  await copy.ready();
  return JSON.stringify(copy.swagger());
}

/** Where `transform` leaves a note in an operation for `withAnswers`; not part of the document. */
const NOTE = 'x-route';

type Route = RouteOptions & { readonly schema: FastifySchema };
type Note = { readonly route: Route };
type Header = { readonly $ref: string } | { readonly description: string; readonly schema: object };
type Response = { description: string; headers?: Record<string, Header>; content?: object };
type Operation = { responses: Record<string, Response>; [NOTE]?: Note };
type Document = {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, object>; headers?: Record<string, object> };
};

function annotate(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  const annotated: FastifySchema & { readonly [NOTE]: object } = {
    ...schema,
    ...typedProperties('body', schema?.body),
    ...typedProperties('querystring', schema?.querystring),
    [NOTE]: { route },
  };
  return annotated;
}

function typedProperties(part: 'body' | 'querystring', schema: unknown): Partial<FastifySchema> {
  const { properties } = (schema ?? {}) as { properties?: Record<string, object> };
  if (properties === undefined) return {};
  return { [part]: { ...(schema as object), properties: mapValues(properties, asDocumented) } };
}

/** Describes a property without a type as text: its schema leaves other types to the route, which has a better answer. */
function asDocumented(property: object): object {
  const isOpen = !['type', '$ref', 'anyOf', 'const', 'enum'].some((key) => key in property);
  return isOpen ? { ...property, type: 'string' } : property;
}

/** Adds the errors and headers of each operation, and the components that they refer to. */
function withAnswers(document: object, app: FastifyInstance): object {
  const { paths = {}, components = {}, ...rest } = document as Document;
  const everywhere = [...EVERY_ANSWER, ...(app.hasPlugin('@fastify/cors') ? CROSS_ORIGIN : [])];
  const { $id: _name, ...errorBody } = ErrorBody;
  return {
    ...rest,
    components: {
      ...components,
      schemas: { ...components.schemas, ErrorBody: errorBody },
      headers: describedHeaders(ANSWER_HEADERS),
    },
    paths: mapValues(paths, (item) =>
      mapValues(item, (operation) =>
        withResponses(operation, { everywhere, checksOrigin: app.hasPlugin('tollgate-origin') }),
      ),
    ),
  };
}

function withResponses(
  operation: Operation,
  {
    everywhere,
    checksOrigin,
  }: { readonly everywhere: readonly AnswerHeader[]; readonly checksOrigin: boolean },
): Operation {
  const { [NOTE]: note, responses, ...rest } = operation;
  if (note === undefined) return operation;
  const { route } = note;
  const facts = factsOf(route, checksOrigin);
  const own = describedHeaders(route.config?.answerHeaders);
  const described = mapValues(responses, ({ headers, ...response }) => ({
    ...response,
    headers: { ...references([...everywhere, ...limitHeaders(facts)]), ...own, ...headers },
  }));
  const errors = Object.fromEntries(
    errorAnswers(facts, route.config?.refusals)
      .filter(({ status }) => !(status in described))
      .map(({ status, description, headers, ownHeaders }) => [
        status,
        {
          description,
          headers: { ...references([...everywhere, ...headers]), ...describedHeaders(ownHeaders) },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
        },
      ]),
  );
  return { ...rest, responses: { ...described, ...errors } };
}

function describedHeaders(descriptions: Readonly<Record<string, string>> = {}): Record<string, Header> {
  return mapValues(descriptions, (description) => ({ description, schema: { type: 'string' } }));
}

function references(names: readonly AnswerHeader[]): Record<string, Header> {
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Serves `/openapi.json`. Register it before the routes that it describes. */
export default fp(describeService, { name: 'tollgate-openapi', fastify: '5.x' });
