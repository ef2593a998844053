// The log: JSON lines without secrets, without addresses, one per request.

import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino';
import { hideSecrets } from './log-redaction.js';

/** What takes the lines of a log, each whole. */
export type LogOutput = DestinationStream;

/** The standard output, for everything of a process that writes lines to it: they follow each other whole. */
export function openStandardOutput(): LogOutput {
  return pino.destination(1);
}

/** Makes the log of a process. @param destination standard output by default */
export function createLogger(
  settings: { readonly name: string; readonly level: string },
  destination?: LogOutput,
): Logger {
  const options: LoggerOptions = {
    name: settings.name,
    level: settings.level,
    timestamp: createTimestamp(),
    formatters: { level: (label) => ({ level: label }), log: hideSecrets },
    hooks: { logMethod: nameErrors },
    serializers: { req: describeRequest, res: describeReply, err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** ISO 8601, written once per millisecond: under load most lines share one, and a date costs more than the rest. */
function createTimestamp(): () => string {
  let writtenMs = -1;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== writtenMs) {
      writtenMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

// An error without a message beside it would lend its own, uncut, to the line.
function nameErrors(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first] = args as [unknown];
  if (args.length > 1 || typeof first !== 'object' || first === null) method.apply(this, args);
  else if (first instanceof Error) method.apply(this, [{ err: first }, 'error']);
  else if ('err' in first) method.apply(this, [first, 'error']);
  else method.apply(this, args);
}

/** Writes one line per request, when it is answered. Hand it to Fastify as `logController`. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const line = {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    };
    if (error) reply.log.error({ ...line, err: error }, 'request');
    else reply.log.info(line, 'request');
  }
}

// The path may hold a token and the query a ticket, so the route's pattern stands for both.
function describeRequest(request: FastifyRequest) {
  return { id: request.id, method: request.method, route: request.routeOptions?.url };
}

function describeReply(reply: FastifyReply) {
  return { status: reply.statusCode };
}

/** Own properties are left out: a client of a database keeps the command there, a parser the raw bytes. */
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

// Redis and JSON.parse repeat what they were given.
function withoutArguments(message: string): string {
  return message.replace(/(with args beginning with:|Unexpected token|is not valid JSON).*/s, '$1 …');
}
