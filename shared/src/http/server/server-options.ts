// The options of every Fastify server of ours.

import type { FastifyBaseLogger, FastifyHttpOptions, RawServerDefault } from 'fastify';
import { answerTo } from '../errors/error-handler.js';
import { answerClientError, sendError } from '../errors/send-error.js';
import { RequestLog } from '../observability/logger.js';
import { type ResponseHeadersOptions, responseHeaders } from './response-headers.js';

// Of the process and not of a server: the two listeners write one log.
let requests = 0;

/** Longest body that is read, in bytes. */
export const BODY_LIMIT_BYTES = 16 * 1024;

export interface ServerSettings extends ResponseHeadersOptions {
  readonly logger: FastifyBaseLogger;
  /** Addresses and ranges of the proxies in front; none by default. */
  readonly trustProxy?: readonly string[] | undefined;
}

/**
 * Options for `Fastify(…)`. The schema validator converts nothing and drops nothing. Slow requests are cut off: headers
 * after 10 s, the whole request after 15 s, whatever the connection did before. The id of a request is unique in the
 * process, whichever listener it came to, and never the client's.
 */
export function serverOptions(settings: ServerSettings): FastifyHttpOptions<RawServerDefault> {
  const headers = responseHeaders(settings);
  const { logger, trustProxy = [] } = settings;
  return {
    loggerInstance: logger,
    logController: new RequestLog(),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    genReqId: nextRequestId,
    requestTimeout: 15_000,
    // Longer than gateways keep idle connections, or a request may meet a connection just closed.
    keepAliveTimeout: 75_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 },
    // A request that still arrives while closing is served: its parts are closed after the last answer.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 128 },
    ajv: {
      // All errors of a body that bodyLimit bounds; no schema of ours has a pattern that backtracks.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: true },
    },
    // Fastify's own text would list every one of them, and nobody reads it.
    schemaErrorFormatter: () => new Error('the schema was not met'),
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      // No hook runs on this way, so the headers of every answer are set here.
      reply.headers(headers);
      request.server.watchWrites?.(request.raw.socket);
      sendError(request, reply, answerTo(error));
    },
  };
}

function nextRequestId(): string {
  requests += 1;
  return `req-${requests.toString(36)}`;
}
