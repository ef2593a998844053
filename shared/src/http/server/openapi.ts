// Describes a service in OpenAPI 3.1, from its routes' schemas.

import { STATUS_CODES } from 'node:http';
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

// Bring the additions of the plugin (`summary`, `hide`) and ours (`limited`, `responseHeaders`) to Fastify's types.
export type { SwaggerOptions } from '@fastify/swagger';
export type { RouteFacts } from './openapi-answers.js';

/** The options of the plugin. */
export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The public address of the service. */
  readonly serverUrl: string;
  /** The credentials in the `security` of routes, as OpenAPI describes them. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}

/** A bearer token, or a cookie. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' }
  | { readonly type: 'apiKey'; readonly in: 'cookie'; readonly name: string };

/** Rules of every path that no operation mentions. */
const METHODS =
  'HEAD responds like GET, without a body and without effect. An unsupported method is 405 (`method_not_allowed`), and `Allow` lists the supported ones.';

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

/** The content of the document: all routes, and the scopes whose schemas they refer to. */
interface Routes {
  readonly routes: readonly RouteOptions[];
  readonly scopes: readonly FastifyInstance[];
}

/**
 * Creates the document at its first request: loading the generator would take a large part of a process's start. The
 * generator listens to the routes of an application as they are added, so it gets a copy without anything else.
 */
async function writeDocument(
  app: FastifyInstance,
  options: OpenApiOptions,
  { routes, scopes }: Routes,
): Promise<string> {
  const { title, version, description, serverUrl, securitySchemes = {} } = options;
  const copy = Fastify({ exposeHeadRoutes: false });
  copy.setValidatorCompiler(() => () => true);
  copy.setSerializerCompiler(() => () => '');
  await copy.register(import('@fastify/swagger'), {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        version,
        description: `${description}. ${METHODS}`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: serverUrl }],
      components: { securitySchemes },
      // For every operation without credentials of its own.
      security: [],
    },
    transformObject: (made) => withAnswers('openapiObject' in made ? made.openapiObject : {}, app),
    // Shared schemas keep their names.
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema.$id === 'string' ? schema.$id : `Schema${index}`,
    },
  });
  const schemas = Object.assign({}, ...scopes.map((scope) => scope.getSchemas()));
  for (const route of routes) {
    copy.route({ ...route, exposeHeadRoute: false, schema: annotate(route, schemas) });
  }
  for (const schema of Object.values(schemas)) copy.addSchema(schema);
  await copy.ready();
  return JSON.stringify(copy.swagger());
}

/** Key of a note from `annotate` to `withAnswers` in an operation; not part of the document. */
const NOTE = 'x-route';

/** The generator's description of a response whose schema has none. */
const UNDESCRIBED = 'Default Response';

type Route = RouteOptions & { readonly schema: FastifySchema };
type Note = { readonly route: Route };
type Header = Reference | { readonly description: string; readonly schema: object };
type Reference = { readonly $ref: string };
type Response = { description: string; headers?: Record<string, Header>; content?: object };
type Described = { responses: Record<string, Response>; [NOTE]?: Note };
type Operation = { responses: Record<string, Response | Reference> };
type Document = {
  paths?: Record<string, Record<string, Described>>;
  components?: { schemas?: Record<string, object>; headers?: Record<string, object> };
};

function bodiesOf({ body, response }: FastifySchema = {}): FastifySchema {
  return {
    ...(body !== undefined && { body, ...typedProperties('body', body) }),
    ...(response !== undefined && { response }),
  };
}

/** Refers to each schema that has a name, and adds it to `named`. */
function byName(schema: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => byName(each, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const content = asEnum(mapValues(schema as Record<string, unknown>, (each) => byName(each, named)));
  const { $id } = content;
  if (typeof $id !== 'string') return content;
  named[$id] = content;
  return { $ref: `${$id}#` };
}

/** Describes a union of texts as an enum: clients generated in Go or Java have no good type for `anyOf`. */
function asEnum(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every(({ const: text }) => typeof text === 'string')) return schema;
  return { ...others, type: 'string', enum: anyOf.map(({ const: text }) => text) };
}

function annotate(route: RouteOptions, named: Record<string, unknown>): FastifySchema {
  const { schema } = route;
  const annotated: FastifySchema & { readonly [NOTE]: object } = {
    ...schema,
    ...(byName(bodiesOf(schema), named) as FastifySchema),
    ...typedProperties('querystring', schema?.querystring),
    ...paramsOf(route),
    [NOTE]: { route },
  };
  return annotated;
}

/** The parameters in the path: routes may share a schema that has more. */
function paramsOf({ url, schema }: RouteOptions): Partial<FastifySchema> {
  const { properties } = (schema?.params ?? {}) as { properties?: Record<string, object> };
  if (properties === undefined) return {};
  const own = Object.entries(properties).filter(([name]) => new RegExp(`:${name}\\b`).test(url));
  return { params: { ...(schema?.params as object), properties: Object.fromEntries(own) } };
}

function typedProperties(part: 'body' | 'querystring', schema: unknown): Partial<FastifySchema> {
  const { properties } = (schema ?? {}) as { properties?: Record<string, object> };
  if (properties === undefined) return {};
  return { [part]: { ...(schema as object), properties: mapValues(properties, asDocumented) } };
}

/** Describes a property without a type as a string: its schema leaves other types to the route, which has a better error. */
function asDocumented(property: object): object {
  const isOpen = !['type', '$ref', 'anyOf', 'const', 'enum'].some((key) => key in property);
  return isOpen ? { ...property, type: 'string' } : property;
}

/** Adds the error responses and headers of each operation, and the components that they refer to. */
function withAnswers(document: object, app: FastifyInstance): object {
  const { paths = {}, components = {}, ...rest } = document as Document;
  const everywhere = [...EVERY_ANSWER, ...(app.hasPlugin('@fastify/cors') ? CROSS_ORIGIN : [])];
  const { $id: _name, ...errorBody } = ErrorBody;
  const errors: Record<string, Response> = {};
  const checksOrigin = app.hasPlugin('tollgate-origin');
  const described = mapValues(paths, (item) =>
    mapValues(item, (operation) => withResponses(operation, { everywhere, checksOrigin, errors })),
  );
  const successes = shareResponses(Object.values(described).flatMap((item) => Object.values(item)));
  const responses = { ...successes, ...errors };
  const text = JSON.stringify([responses, described]);
  const headers = Object.entries(ANSWER_HEADERS).filter(([name]) => text.includes(`/headers/${name}"`));
  return {
    ...rest,
    components: {
      ...components,
      schemas: { ...components.schemas, ErrorBody: errorBody },
      responses: Object.fromEntries(
        Object.entries(responses).sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
      headers: describedHeaders(Object.fromEntries(headers)),
    },
    paths: described,
  };
}

/** The headers of all operations, and their common errors, which are collected by name. */
interface Common {
  readonly everywhere: readonly AnswerHeader[];
  readonly checksOrigin: boolean;
  readonly errors: Record<string, Response>;
}

function withResponses(operation: Described, { everywhere, checksOrigin, errors }: Common): Operation {
  const { [NOTE]: note, responses, ...rest } = operation;
  if (note === undefined) return operation;
  const { route } = note;
  const facts = factsOf(route, checksOrigin);
  const own = describedHeaders(route.config?.responseHeaders);
  const described: Operation['responses'] = mapValues(responses, ({ headers, ...response }, status) => ({
    ...response,
    description: response.description === UNDESCRIBED ? (STATUS_CODES[status] ?? '') : response.description,
    headers: { ...references([...everywhere, ...limitHeaders(facts)]), ...own, ...headers },
  }));
  for (const { name, status, description, headers, ownHeaders } of errorAnswers(
    facts,
    route.config?.refusals,
  )) {
    if (status in described) continue;
    const error = {
      description,
      headers: { ...references([...everywhere, ...headers]), ...describedHeaders(ownHeaders) },
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } },
        ...(facts.sendsPages && { 'text/html': { schema: { type: 'string' } } }),
      },
    };
    if (name !== undefined) errors[name] = error;
    described[status] = name === undefined ? error : { $ref: `#/components/responses/${name}` };
  }
  return { ...rest, responses: described };
}

/**
 * Replaces responses shared by several operations with references, and returns them by name. JSON responses stay in place:
 * some client generators do not follow the reference of a success.
 */
function shareResponses(operations: readonly Operation[]): Record<string, Response> {
  const users = new Map<string, Operation[]>();
  for (const operation of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const key = `${status} ${JSON.stringify(response)}`;
      if (!('$ref' in response) && !hasJson(response)) users.set(key, [...(users.get(key) ?? []), operation]);
    }
  }
  const shared: Record<string, Response> = {};
  for (const [key, [first, ...others]] of users) {
    if (first === undefined || others.length === 0) continue;
    const status = key.slice(0, 3);
    const phrase = (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '');
    const same = Object.keys(shared).filter((name) => name.startsWith(phrase)).length;
    const name = same === 0 ? phrase : `${phrase}${same + 1}`;
    shared[name] = first.responses[status] as Response;
    for (const operation of [first, ...others])
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

function hasJson({ content = {} }: Response): boolean {
  return 'application/json' in content;
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
