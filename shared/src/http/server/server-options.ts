// The options of all our Fastify servers.

import proxyAddr from '@fastify/proxy-addr';
import type { FastifyBaseLogger, FastifyHttpOptions, FastifyInstance, RawServerDefault } from 'fastify';
import fp from 'fastify-plugin';
import { createLruCache } from '../../cache/bounded-maps.js';
import { normaliseAddress } from '../../challenges/attempts/pseudonyms.js';
import { answerTo } from '../errors/error-handler.js';
import { answerClientError, sendError } from '../errors/send-error.js';
import { createRequestLogger, RequestLog } from '../observability/logger.js';
import type { Closing } from './closing.js';
import { keepAllHeaders } from './keep-all-headers.js';
import { headersOfResponses, type ResponseHeadersOptions, serverResponse, watchWrites } from './responses.js';
import { sharedCompilers } from './schema-compilers.js';

// One count for the process, because its two listeners write to one log.
let requests = 0;

/** The longest accepted body, in bytes. */
const BODY_LIMIT_BYTES = 16 * 1024;

/** The longest text that is parsed as an address. */
const MAX_ADDRESS_CHARACTERS = 64;

/** Settings that differ between servers. */
interface ServerSettings extends ResponseHeadersOptions {
  readonly logger: FastifyBaseLogger;
  /** Addresses and CIDR ranges of the trusted proxies; none by default. */
  readonly trustProxy?: readonly string[] | undefined;
  /** While it returns true, every response ends its connection. */
  readonly state?: Closing | undefined;
}

/**
 * Returns options for `Fastify(…)`. The schema validator neither converts values nor drops properties. Slow requests are
 * aborted: headers after 10 s, the whole request after 15 s. A request's id is unique in the process and never taken from
 * the client.
 */
export function serverOptions(settings: ServerSettings): FastifyHttpOptions<RawServerDefault> {
  const headers = headersOfResponses(settings);
  const { logger, trustProxy = [], state } = settings;
  return {
    loggerInstance: logger,
    logController: new RequestLog(logger),
    childLoggerFactory: createRequestLogger,
    trustProxy: trustProxy.length > 0 ? trustedProxies(trustProxy) : false,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: true,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    genReqId: nextRequestId,
    requestTimeout: 15_000,
    // Longer than gateways keep idle connections, or a request may arrive on a connection that we have just closed.
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
      ServerResponse: serverResponse(state),
    },
    // Serve a request that arrives while closing: dependencies are closed after the last response.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 128 },
    schemaController: { compilersFactory: sharedCompilers },
    ajv: {
      // Collecting all errors is safe: bodyLimit bounds the body, and no schema has a pattern that backtracks.
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        allErrors: true,
        // Checking the schemas against the meta-schema is a test's work: it takes as long as compiling all of them.
        validateSchema: false,
        formats: { ip: isClientAddress },
      },
    },
    // Fastify's own text would list every error, and nothing uses it.
    schemaErrorFormatter: () => new Error('schema validation failed'),
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      // No hook runs for these errors, so the headers of every response are set here.
      reply.headers(headers);
      watchWrites(request.server, request.raw.socket);
      sendError(request, reply, answerTo(error));
    },
  };
}

/** The format `ip`: a countable address. Any other string would count as an unknown address. */
function isClientAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_CHARACTERS && normaliseAddress(text) !== null;
}

function nextRequestId(): string {
  requests += 1;
  return `req-${requests.toString(36)}`;
}

/** Gateways have few addresses; clients may claim any number of others. */
const MOST_KNOWN = 1000;

/** The longest address, with a zone; clients may send longer strings, which are not cached. */
const LONGEST_KNOWN = 64;

/**
 * Returns the `trustProxy` of Fastify: whether an address is a trusted proxy. Fastify calls it each time that the address or
 * the host of a request is read, and parsing an address takes a twentieth of a small request.
 *
 * @param proxies addresses, CIDR ranges, `loopback` and `uniquelocal`
 * @throws TypeError for anything else
 */
function trustedProxies(proxies: readonly string[]): (address: string | undefined) => boolean {
  const isTrusted = proxyAddr.compile([...proxies]);
  const known = createLruCache<boolean>(MOST_KNOWN);
  return (address) => {
    // A socket that is closed has none.
    if (address === undefined) return false;
    const remembered = known.get(address);
    if (remembered !== undefined) return remembered;
    const trusted = isTrusted(address, 0);
    if (address.length <= LONGEST_KNOWN) known.set(address, trusted);
    return trusted;
  };
}

const WARNING =
  'X-Forwarded-For arrives although TRUST_PROXY is not set: behind a proxy all clients count as one address';

async function readForwarded(
  app: FastifyInstance,
  { trustProxy = [] }: { readonly trustProxy?: readonly string[] | undefined },
): Promise<void> {
  keepAllHeaders(app);
  if (trustProxy.length > 0) return;
  let isWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isWarned && request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true;
      app.log.warn(WARNING);
    }
    done();
  });
}

/** Keeps all proxy headers, and logs one warning, at the first request with `X-Forwarded-For`, if no proxy is trusted. */
export const forwardedHeaders = fp(readForwarded, { name: 'tollgate-forwarded-headers', fastify: '5.x' });
