// Responses of our servers: their headers, and the end of their connections.

import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Closing } from './closing.js';

const YEAR_SECONDS = 31_536_000;

/** Further headers of every response while the challenges are in test mode. */
export const TEST_MODE_HEADERS = { 'x-captcha-test-mode': '1' } as const;

export interface ResponseHeadersOptions {
  /** With https the responses have `Strict-Transport-Security`. */
  readonly publicUrl: string;
  /** Further headers of every response, such as that of the test mode. */
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
 * Returns whether `If-None-Match` of a request contains this tag, strongly or weakly, or `*` (RFC 9110, 13.1.2): then
 * respond with 304.
 * @param etag with its quotes
 */
export function hasCurrent({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? [];
  return known.some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));
}

/** Register it before all plugins that respond by themselves. */
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
      // A gateway must not send another request after a body that is not fully read.
      if (state.closing === true || (!isReadToEnd && isBodyUnread(this.req))) this.shouldKeepAlive = false;
      const [headers] = more as Record<string, unknown>[];
      // Fastify ends the connection after a body that it could not parse: it leaves the rest unread.
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

    // Fastify checks whether a request has its response.
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

/** Limits on discarding a body after its response, in bytes and time. */
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

/** Whether a request on this connection has its response although its body is still arriving. */
export function isAnswered(socket: object): boolean {
  return answered.has(socket);
}

/** Whether the request announces a body that fits the limits. */
function isDiscardable({ headers }: IncomingMessage, { bytes }: DiscardLimits): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= bytes;
}

/**
 * Discards the rest of the body, then calls `done`. Beyond `bytes` it reads no more, and after `ms` it closes the
 * connection: closing a connection while its peer still sends resets it, and a gateway that has not yet read the response
 * takes that for a failed process.
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
 * Ends a connection whose peer may still send: sends the written data, discards arriving data, and closes the connection
 * when the peer has ended it, but after `ms` at the latest. Closing it at once would reset it.
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
interface WriteTimeoutOptions {
  /** Milliseconds that a write may go without progress; 30,000 by default. */
  readonly timeoutMs?: number;
}

/** The progress of a connection's writes, and its time. */
interface Progress {
  written: number;
  queued: number;
  sinceMs: number;
}

const watches = new WeakMap<Server, (socket: unknown) => void>();

/**
 * Closes this connection when a write makes no progress, if the server has `writeTimeout`; for requests that run no hook.
 */
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

// Bytes of the chunks that the system has accepted completely.
function writtenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

// Bytes of the current chunk that the system has not accepted yet; Node has no public API for it.
function queuedBytes(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/** Watches the writes of every connection with a request. */
export const writeTimeout = fp(watchAllWrites, { name: 'tollgate-write-timeout', fastify: '5.x' });
