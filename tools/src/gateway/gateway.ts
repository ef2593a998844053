// The local gateway: one port in front of both services and the demo page.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import proxy from '@fastify/http-proxy';
import { answerClientError, TEST_MODE_HEADERS } from '@tollgate/shared/http';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { type PageFiles, servePage, shippedPage } from '../demo/demo-page.js';
import type { ChallengeNames } from './challenge-names.js';
import { forwardHeaders, type HeaderRules } from './forwarded-headers.js';
import type { ShownPrice } from './shown-price.js';

/** Contents of the gateway's own page. */
export interface ShownPage {
  /** Initial e-mail address of the page's form. */
  readonly demoEmail?: string | undefined;
  /** The demo page's files; by default those of the project. */
  readonly page?: PageFiles | undefined;
}

interface GatewayOptions extends ShownPage {
  /** Address of session-service, such as `http://127.0.0.1:3001`. */
  readonly sessionUrl: string;
  /** Address of challenge-service. */
  readonly challengeUrl: string;
  readonly challenges: ChallengeNames;
  /** The price terms on the demo page. */
  readonly price: ShownPrice;
  /** The public address; the gateway strips its path from every request. */
  readonly publicUrl: string;
  /** Whether the challenges are in test mode, which the gateway's own responses also announce in a header. */
  readonly testMode?: boolean;
}

/** Paths that are routed to session-service, with all paths below them. */
export const sessionPaths = [
  ...([
    '/login',
    '/refresh',
    '/logout',
    '/reauthenticate',
    '/password',
    '/sessions',
    '/profile',
    '/verify',
  ] as const),
  '/.well-known/jwks.json',
] as const;

/**
 * Host names of this machine that browsers may use besides the host of `PUBLIC_URL`; any port, because ports may be
 * forwarded. In a DNS rebinding attack, the page's own name resolves to this machine, and its requests have that name.
 */
const localNames = ['localhost', '127.0.0.1', '[::1]'] as const;

const upstreamTimeoutMs = 30_000;
/** Browsers delay all refreshes until a key renewal has its response. */
const renewalTimeoutMs = 5000;
const renewals = '/refresh';
/** Milliseconds for open requests when the gateway stops. */
const requestsMs = 400;

/** Builds the gateway, which does not listen yet. */
export async function buildGateway(options: GatewayOptions): Promise<FastifyInstance> {
  const basePath = new URL(options.publicUrl).pathname.replace(/\/+$/, '');
  const everyAnswer = options.testMode ? TEST_MODE_HEADERS : {};
  const app = fastify({
    logger: false,
    requestTimeout: upstreamTimeoutMs,
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: (request) => withoutBase(request.url ?? '/', basePath),
    frameworkErrors: (_error, _request, reply) => {
      // Hooks do not run for such a request.
      notFound(reply.headers(everyAnswer) as FastifyReply);
    },
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(everyAnswer);
  });
  const names = [...new Set([...localNames, new URL(options.publicUrl).hostname])];
  app.addHook('onRequest', async (request, reply) => {
    if (names.includes(nameIn(request.headers.host))) return;
    const message = `This gateway only accepts the host names ${names.join(', ')}. To use another name, set PUBLIC_URL.`;
    return sendError(reply, 421, 'host_unknown', message);
  });
  let isStopping = false;
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    endConnections(app.server);
  });
  app.setNotFoundHandler((_request, reply) => notFound(reply));
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) =>
    (error.statusCode ?? 500) < 500
      ? notFound(reply)
      : sendError(reply, 500, 'internal_error', 'Gateway error.'),
  );
  const headers = forwardHeaders();
  await route(app, `/${options.challenges.prefix}`, options.challengeUrl, headers);
  for (const path of sessionPaths) {
    const hasRenewals = path === renewals;
    await route(app, path, options.sessionUrl, headers, hasRenewals ? { routes: ['/'] } : {});
    if (hasRenewals) {
      const below = { routes: ['/*'], timeoutMs: renewalTimeoutMs };
      await route(app, path, options.sessionUrl, headers, below);
    }
  }
  await app.register(servePage, { ...options, ...(options.page ?? shippedPage) });
  return app;
}

/**
 * Listens on 127.0.0.1 and, if the machine has it, on ::1; `app.close()` closes both.
 * @throws the listening error, such as `EADDRINUSE` on either address
 */
export async function listenLocally(app: FastifyInstance, port: number): Promise<void> {
  const second = createServer((request, response) => app.routing(request, response));
  second.requestTimeout = upstreamTimeoutMs;
  second.on('clientError', answerClientError);
  app.addHook('preClose', async () => {
    endConnections(second);
    if (second.listening) await new Promise((resolve) => second.close(resolve));
  });
  await app.listen({ host: '127.0.0.1', port });
  await listenIfPossible(second, (app.server.address() as AddressInfo).port);
}

/** Closes a closing server's idle connections, and the others after a timeout. */
function endConnections(server: Pick<Server, 'closeIdleConnections' | 'closeAllConnections'>): void {
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), requestsMs).unref();
}

/** @param options.routes `/` for the path alone, `/*` for all below it; both by default */
async function route(
  app: FastifyInstance,
  path: string,
  upstream: string,
  headers: HeaderRules,
  { routes, timeoutMs }: { readonly routes?: string[]; readonly timeoutMs?: number } = {},
) {
  await app.register(async (scope) => {
    // Fastify rejects a malformed media type before any parser runs, but the service must respond to it.
    scope.addHook('onRequest', async (request) => headers.hideMediaType(request));
    scope.removeAllContentTypeParsers();
    await scope.register(proxy, {
      upstream,
      prefix: path,
      rewritePrefix: path,
      disableRequestLogging: true,
      internalRewriteLocationHeader: false,
      undici: { connections: 64, headersTimeout: upstreamTimeoutMs, bodyTimeout: upstreamTimeoutMs },
      destroyAgent: true,
      ...(routes && { routes }),
      replyOptions: {
        ...(timeoutMs && { timeout: timeoutMs }),
        // Otherwise the library repeats every GET with a 503 response.
        retryDelay: () => null,
        rewriteRequestHeaders: headers.towardsService,
        rewriteHeaders: headers.towardsClient,
        onError: (reply) => {
          const message = 'The service does not respond. Try again shortly.';
          reply.header('retry-after', 1);
          sendError(reply as unknown as FastifyReply, 503, 'upstream_unavailable', message);
        },
      },
    });
  });
}

function sendError(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send({ message, code });
}

/** The name in a `Host` header, without its port. */
function nameIn(host = ''): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

function notFound(reply: FastifyReply): FastifyReply {
  return sendError(reply, 404, 'not_found', 'Not found.');
}

function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  return rest.startsWith('/') ? rest : url;
}

async function listenIfPossible(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve();
      else reject(error);
    });
    server.listen({ host: '::1', port, ipv6Only: true }, resolve);
  });
}
