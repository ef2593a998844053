// The methods of every path: HEAD like GET, without its effect, and 405 for any other method.

import type {
  FastifyInstance,
  FastifyRequest,
  HTTPMethods,
  onSendHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import fp from 'fastify-plugin';
import { MethodNotAllowed, NotFound, refuse } from '../errors/errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Handles HEAD instead of the handler of a GET with an effect: one that issues, draws or counts. The hooks and schemas
     * of the route apply. It must change nothing; its success has no `Content-Length`.
     */
    readonly head?: RouteHandlerMethod;
  }
}

async function answerMethods(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return;
    if (route.config?.head !== undefined) route.handler = route.config.head;
    route.onSend = [...[route.onSend ?? []].flat(), dropLength];
  });
  // After every `onRequest` hook, and before the body is read: an unknown path reveals nothing about bodies.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload);
    const allowed = methodsOf(request);
    if (allowed.length === 0) return done(refuse(NotFound));
    reply.header('allow', allowed.join(', '));
    done(refuse(MethodNotAllowed));
  });
}

/** Fastify sends the length 0 for the missing payload of HEAD, even if GET has none or another one. */
const dropLength: onSendHookHandler = (request, reply, payload, done) => {
  const isUnknown = reply.statusCode === 200 && request.routeOptions.config.head !== undefined;
  if (isUnknown || reply.statusCode === 204 || reply.statusCode === 304) reply.removeHeader('content-length');
  done(null, payload);
};

/** Returns the methods of a request's path; none if no route has this path. */
function methodsOf({ server, raw }: FastifyRequest): string[] {
  const url = raw.url ?? '/';
  const methods = server.supportedMethods.filter(
    (method) => server.findRoute({ method: method as HTTPMethods, url }) !== null,
  );
  // CORS has a route for the OPTIONS of every path.
  return methods.some((method) => method !== 'OPTIONS') ? methods.sort() : [];
}

/**
 * Returns a `config.head` that responds with 200 and a media type.
 * @param check throws the errors of GET
 */
export function headOf(mediaType: string, check?: (request: FastifyRequest) => unknown): RouteHandlerMethod {
  return async (request, reply) => {
    await check?.(request);
    return reply.type(mediaType).send();
  };
}

/** Register it on a server with `exposeHeadRoutes`, before the hooks that read bodies, and before the routes. */
export default fp(answerMethods, { name: 'tollgate-methods', fastify: '5.x' });
