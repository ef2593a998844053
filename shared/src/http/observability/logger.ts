// The log: JSON lines, one per request, without secrets and personal data.

import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type LogFn, type Logger, type LoggerOptions, pino } from 'pino';
import type { LogOutput } from './log-output.js';

/** Creates the logger of a process. @param destination standard output by default */
export function createLogger(
  settings: { readonly name: string; readonly level: string },
  destination?: LogOutput,
): Logger {
  const timestamp = createTimestamp();
  const options: LoggerOptions = {
    name: settings.name,
    level: settings.level,
    timestamp,
    formatters: { level: (label) => ({ level: label }), log: hideSecrets },
    hooks: { logMethod: addErrorMessage },
    serializers: { req: describeRequest, res: describeReply, err: describeError },
  };
  const output = destination ?? pino.destination(1);
  const logger = pino(options, output);
  writers.set(logger, createLineWriter(logger, output, timestamp));
  return logger;
}

/** Writes a line at the level `info`, given its text after the properties common to all lines. */
type LineWriter = (rest: string) => void;

const writers = new WeakMap<object, LineWriter>();

/** Returns the writer of a logger from `createLogger`; undefined for another logger. */
function lineWriterOf(logger: object): LineWriter | undefined {
  return writers.get(logger);
}

function createLineWriter(logger: Logger, output: LogOutput, timestamp: () => string): LineWriter {
  // As a string, starting at the first comma.
  const { chindingsSym } = pino.symbols as unknown as { readonly chindingsSym: symbol };
  const bindings = (logger as unknown as Record<symbol, string>)[chindingsSym];
  return (rest) => {
    if (logger.isLevelEnabled('info')) output.write(`{"level":"info"${timestamp()}${bindings}${rest}`);
  };
}

/** ISO 8601, formatted once per millisecond: under load most lines share one, and formatting costs more than the rest. */
function createTimestamp(): () => string {
  let formattedMs = -1;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== formattedMs) {
      formattedMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

// Without a message pino takes the error's, which `withoutArguments` has not shortened.
function addErrorMessage(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first] = args as [unknown];
  if (args.length > 1 || typeof first !== 'object' || first === null) method.apply(this, args);
  else if (first instanceof Error) method.apply(this, [{ err: first }, 'error']);
  else if ('err' in first) method.apply(this, [first, 'error']);
  else method.apply(this, args);
}

// The path may contain a token and the query a ticket, so only the route pattern is logged.
function describeRequest(request: FastifyRequest) {
  return { id: request.id, method: request.method, route: request.routeOptions?.url };
}

function describeReply(reply: FastifyReply) {
  return { status: reply.statusCode };
}

/** Omits the error's own properties: database clients store the command there, parsers the raw bytes. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, cause } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: withoutArguments(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    frames: error.stack?.split('\n').filter((line) => line.startsWith('    at ')),
    ...(cause === undefined || depth > 2 ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

// Redis and JSON.parse quote their input.
function withoutArguments(message: string): string {
  return message.replace(/(with args beginning with:|Unexpected token|is not valid JSON).*/s, '$1 …');
}

// Property names whose values are hidden, compared in lower case without - and _.
const HIDDEN = new Set(
  [
    ['authorization', 'proxyauthorization', 'cookie', 'cookies', 'setcookie', 'headers', 'rawheaders'],
    ['password', 'newpassword', 'hash', 'secret', 'secrets', 'apikey', 'hostkey'],
    ['accesssecret', 'refreshsecret', 'encryptionkey', 'challengesecret'],
    ['hostapikey', 'hostapikeys', 'sessionapikey', 'demopassword', 'captchapass'],
    ['token', 'tokens', 'accesstoken', 'refreshtoken', 'jwt', 'scope', 'powscope', 'ticket'],
    ['powtoken', 'pownonce', 'nonce', 'salt', 'captchatoken', 'captcha', 'answer', 'answers', 'seed'],
    ['email', 'key', 'accountkey', 'ip', 'ips', 'remoteaddress', 'xforwardedfor', 'forwarded'],
    ['body', 'query', 'querystring', 'params', 'url', 'originalurl', 'rawpacket'],
  ].flat(),
);
const MAX_DEPTH = 4;
const MAX_CACHED_NAMES = 1000;

/** Replaces a hidden value. */
export const HIDDEN_VALUE = '[hidden]';

const hiddenByName = new Map<string, boolean>();

/**
 * Returns a copy of a log line's values in which every property with a sensitive name is hidden, down to four levels.
 * Instances of classes, such as errors, are left to their serialisers. Pino's own redaction needs a path for every place,
 * and takes many times as long as writing the line.
 */
export function hideSecrets(values: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(values)) {
    const value = values[name];
    const logged = isHidden(name) && value !== undefined ? HIDDEN_VALUE : hideWithin(value, depth + 1);
    if (logged === value) continue;
    copy ??= { ...values };
    copy[name] = logged;
  }
  return copy ?? values;
}

function hideWithin(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return HIDDEN_VALUE;
  if (Array.isArray(value)) return value.map((item) => hideWithin(item, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return hideSecrets(value as Record<string, unknown>, depth);
}

function isHidden(name: string): boolean {
  let hidden = hiddenByName.get(name);
  if (hidden === undefined) {
    hidden = HIDDEN.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
    if (hiddenByName.size < MAX_CACHED_NAMES) hiddenByName.set(name, hidden);
  }
  return hidden;
}

/** Read-only routes for monitoring. */
export const PROBES = /^\/(?:metrics|health\/)/;

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];

/**
 * The logger of a request. Making a child takes longer than writing the line, so it is made when something else is logged.
 */
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

/** Creates the logger of a request. Pass it to Fastify as `childLoggerFactory`. */
export function createRequestLogger(
  server: FastifyBaseLogger,
  bindings: Bindings,
  options: ChildOptions,
): FastifyBaseLogger {
  return new RequestLogger(server, bindings, options) as unknown as FastifyBaseLogger;
}

/**
 * Writes one line per request, when it is done; at the level `debug` for a successful probe or scrape, because an idle
 * service receives nothing else. Pass it to Fastify as `logController`.
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
