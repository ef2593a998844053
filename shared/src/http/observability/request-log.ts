// The log of requests: one line for each, written without what a general logger does for a line.

import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type LineWriter, lineWriterOf } from './logger.js';
import { PROBES } from './request-metrics.js';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];

/** The logger of a request. Making a child takes longer than writing the line, so it is made when something else is logged. */
class RequestLogger {
  readonly #server: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions;
  #child: FastifyBaseLogger | undefined;

  constructor(server: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.#server = server;
    this.#bindings = bindings;
    this.#options = options;
  }

  get logger(): FastifyBaseLogger {
    this.#child ??= this.#server.child(this.#bindings, this.#options);
    return this.#child;
  }

  get level(): string {
    return this.logger.level;
  }
  set level(level: string) {
    this.logger.level = level;
  }

  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.logger.child(bindings, options);
  }
}

for (const method of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const) {
  Object.defineProperty(RequestLogger.prototype, method, {
    value(this: RequestLogger, ...line: unknown[]) {
      (this.logger[method] as (...line: unknown[]) => void)(...line);
    },
  });
}

/** Makes the logger of a request. Pass it to Fastify as `childLoggerFactory`. */
export function createRequestLogger(
  server: FastifyBaseLogger,
  bindings: Bindings,
  options: ChildOptions,
): FastifyBaseLogger {
  return new RequestLogger(server, bindings, options) as unknown as FastifyBaseLogger;
}

/**
 * Writes one line per request, when it is answered; at the level `debug` for a probe or a scrape that succeeded, because an
 * idle service is asked for nothing else. Pass it to Fastify as `logController`.
 */
export class RequestLog extends LogController {
  readonly #write: LineWriter | undefined;
  readonly #routes = new Map<string | undefined, string>();

  /** @param logger the logger of the server */
  constructor(logger: FastifyBaseLogger) {
    super();
    this.#write = lineWriterOf(logger);
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { method } = request;
    const { url, logLevel } = request.routeOptions;
    const status = reply.statusCode;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    if (!error && status < 400 && url !== undefined && PROBES.test(url)) {
      reply.log.debug({ method, route: url, status, ms }, 'request');
    } else if (!error && !logLevel && reply.log instanceof RequestLogger && this.#write !== undefined) {
      // Neither the id nor the method has a character that JSON escapes.
      const route = this.#routeOf(url);
      this.#write(
        `,"reqId":"${request.id}","method":"${method}"${route},"status":${status},"ms":${ms},"msg":"request"}\n`,
      );
    } else if (error) reply.log.error({ method, route: url, status, ms, err: error }, 'request');
    else reply.log.info({ method, route: url, status, ms }, 'request');
  }

  #routeOf(url: string | undefined): string {
    let route = this.#routes.get(url);
    if (route === undefined) {
      route = url === undefined ? '' : `,"route":${JSON.stringify(url)}`;
      this.#routes.set(url, route);
    }
    return route;
  }
}
