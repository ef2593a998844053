// The responses of our servers: the headers of each, and how it leaves its connection.

import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Closing } from './closing.js';

const YEAR_SECONDS = 31_536_000;

/** Headers that every answer has in addition while the challenges are in test mode. */
export const TEST_MODE_HEADERS = { 'x-captcha-test-mode': '1' } as const;

export interface ResponseHeadersOptions {
  /** With https the answers have `Strict-Transport-Security`. */
  readonly publicUrl: string;
  /** Further headers of every answer, such as that of the test mode. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Returns the headers: no caching, and the strictest security headers. */
export function headersOfResponses({
  publicUrl,
  extra,
}: ResponseHeadersOptions): Readonly<Record<string, string>> {
  return Object.freeze({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(publicUrl.toLowerCase().startsWith('https:')
      ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }
      : {}),
    ...extra,
  });
}

async function setResponseHeaders(app: FastifyInstance, options: ResponseHeadersOptions): Promise<void> {
  const headers = headersOfResponses(options);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** Adds the name of a request header to `Vary`, unless `Vary` already has it or `*`. */
export function appendVary(reply: FastifyReply, field: string): void {
  const present = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (present.some((name) => name === '*' || name.toLowerCase() === field.toLowerCase())) return;
  reply.header('vary', [...present, field].join(', '));
}

/**
 * Whether `If-None-Match` of a request names this tag, strongly or weakly, or is `*` (RFC 9110, 13.1.2): answer 304.
 * @param etag with its quotes
 */
export function hasCurrent({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? [];
  return known.some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));
}

/** Register it before everything that may answer a request by itself. */
export const responseHeaders = fp(setResponseHeaders, { name: 'tollgate-response-headers', fastify: '5.x' });

/**
 * Returns a class of responses, for the option `ServerResponse` of a server.
 *
 * - A response to a request whose body is still arriving is sent at once and ends when the rest has been discarded. If the
 *   body may be larger than that, the response says `Connection: close`.
 * - While `state.closing` is set, every response says `Connection: close` and ends its connection, also the response to a
 *   request that came before.
 */
export function serverResponse(
  state: Closing = {},
  limits: DiscardLimits = DISCARD_LIMITS,
): typeof ServerResponse {
  class Response extends ServerResponse<IncomingMessage> {
    #isEnding = false;

    override writeHead(status: number, ...more: unknown[]): this {
      const isReadToEnd = isDiscardable(this.req, limits);
      // A gateway must not send another request behind a body that is not read to its end.
      if (state.closing === true || (!isReadToEnd && isBodyUnread(this.req))) this.shouldKeepAlive = false;
      const [headers] = more as Record<string, unknown>[];
      // Fastify ends the connection after a body that it could not read: it leaves the rest unread.
      if (headers?.connection === 'close' && isReadToEnd) delete headers.connection;
      return Reflect.apply(super.writeHead, this, [status, ...more]);
    }

    override end(...given: unknown[]): this {
      if (this.#isEnding || !isBodyUnread(this.req)) return Reflect.apply(super.end, this, given);
      this.#isEnding = true;
      const [content, encoding] = given as [unknown, BufferEncoding | null];
      if (typeof content === 'string' || Buffer.isBuffer(content)) this.write(content, encoding ?? 'utf8');
      else this.flushHeaders();
      const callbacks = given.filter((each) => typeof each === 'function');
      discardBody(this.req, limits, () => Reflect.apply(super.end, this, callbacks));
      return this;
    }

    // Fastify asks whether a request has its response.
    static {
      Object.defineProperty(Response.prototype, 'writableEnded', {
        get(this: Response) {
          return this.#isEnding || this.finished;
        },
      });
    }
  }
  return Response as typeof ServerResponse;
}

/** How much of a body is discarded after its answer, and for how long. */
interface DiscardLimits {
  readonly bytes: number;
  /** Milliseconds. */
  readonly ms: number;
}

/** The limits of our servers. Gateways usually pass on bodies of 1 MiB. */
const DISCARD_LIMITS: DiscardLimits = { bytes: 1_048_576, ms: 5_000 };

const answered = new WeakSet<object>();
const ending = new WeakSet<object>();

/** Whether bytes of the request's body may still arrive. */
function isBodyUnread({ complete, destroyed, headers }: IncomingMessage): boolean {
  if (complete || destroyed) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a request on this connection has its answer although its body is still arriving. */
export function isAnswered(socket: object): boolean {
  return answered.has(socket);
}

/** Whether the request announces a body that fits the limits. */
function isDiscardable({ headers }: IncomingMessage, { bytes }: DiscardLimits): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= bytes;
}

/**
 * Discards the rest of the body, then calls `done`. Beyond `bytes` it reads no more, and after `ms` it closes the connection:
 * a connection that is closed while its peer still sends is reset, and a gateway that has not yet read the response takes
 * that for a process that has failed.
 */
function discardBody(request: IncomingMessage, limits: DiscardLimits, done: () => void): void {
  const { socket } = request;
  let bytes = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', count).off('end', end).off('close', end);
    answered.delete(socket);
    done();
  };
  const count = (chunk: Buffer | string) => {
    bytes += chunk.length;
    if (bytes > limits.bytes) request.pause();
  };
  const timer = setTimeout(() => {
    end();
    socket.destroySoon();
  }, limits.ms);
  answered.add(socket);
  request.unpipe();
  request.on('data', count).on('end', end).on('close', end).resume();
}

/**
 * Ends a connection whose peer may still send: sends what has been written, discards what arrives, and closes the connection
 * when the peer has ended it, but after `ms` at the latest. A connection that is closed at once is reset.
 */
export function endConnection(socket: Socket, { bytes, ms }: DiscardLimits = DISCARD_LIMITS): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  const close = () => socket.destroy();
  const timer = setTimeout(close, ms);
  const { bytesRead } = socket;
  socket.on('data', () => {
    if (socket.bytesRead - bytesRead > bytes) socket.pause();
  });
  socket
    .on('error', close)
    .on('end', close)
    .on('close', () => clearTimeout(timer));
  socket.resume().end();
}

/** Whether `endConnection` has been called for this connection. */
export function isEnding(socket: object): boolean {
  return ending.has(socket);
}

const TIMEOUT_MS = 30_000;

/** Checks per timeout: a connection is closed at most a sixth of the timeout late. */
const CHECKS = 6;

/** The options of the plugin. */
export interface WriteTimeoutOptions {
  /** Milliseconds that a write may go without progress; 30,000 by default. */
  readonly timeoutMs?: number;
}

/** How far the writes of a connection have got, and since when. */
interface Progress {
  written: number;
  queued: number;
  sinceMs: number;
}

const watches = new WeakMap<Server, (socket: unknown) => void>();

/** Closes this connection when a write to it makes no progress, if the server has `writeTimeout`; for requests that run no hook. */
export function watchWrites({ server }: Pick<FastifyInstance, 'server'>, socket: unknown): void {
  watches.get(server)?.(socket);
}

async function watchAllWrites(
  app: FastifyInstance,
  { timeoutMs = TIMEOUT_MS }: WriteTimeoutOptions,
): Promise<void> {
  const watched = new Map<Socket, Progress | null>();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const check = () => {
    const nowMs = performance.now();
    for (const [socket, before] of watched) {
      if (socket.destroyed) watched.delete(socket);
      else if (socket.writableLength === 0) {
        if (before !== null) watched.set(socket, null);
      } else {
        const written = writtenBytes(socket);
        const queued = queuedBytes(socket);
        if (before === null || before.written !== written || before.queued !== queued) {
          watched.set(socket, { written, queued, sinceMs: nowMs });
        } else if (nowMs - before.sinceMs >= timeoutMs) {
          // A reset, because after a plain close the system would keep the unsent bytes.
          socket.resetAndDestroy();
        }
      }
    }
    if (watched.size === 0) stop();
  };
  app.addHook('onClose', async () => stop());

  const watch = (socket: unknown) => {
    // An injected request has a socket of another kind.
    if (!(socket instanceof Socket) || watched.has(socket)) return;
    watched.set(socket, null);
    timer ??= setInterval(check, timeoutMs / CHECKS).unref();
  };
  watches.set(app.server, watch);
  app.addHook('onRequest', (request, _reply, done) => {
    watch(request.raw.socket);
    done();
  });
}

// Bytes of the chunks that the system has taken completely.
function writtenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

// Bytes of the current chunk that the system has not taken yet; Node has no public way to ask.
function queuedBytes(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/** Watches the writes of every connection with a request. */
export const writeTimeout = fp(watchAllWrites, { name: 'tollgate-write-timeout', fastify: '5.x' });
