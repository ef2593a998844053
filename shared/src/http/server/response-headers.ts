// The headers that every answer has, as one block of text in the class of our servers' answers, and how one is added to Vary.

import { ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { type Closing, closingResponse } from './closing.js';

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
export function responseHeaders({
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

/** The step in which Node turns the headers of an answer into text. */
interface HeaderStep {
  _storeHeader(statusLine: string, headers: object | undefined): void;
}

const HAS_HEADERS = Symbol('has the headers of every answer');

/**
 * Returns a class of answers, for the option `ServerResponse` of a server. Every answer has these headers, unless it sets
 * one itself. Node checks and copies each header of each answer, and these never change, so they are checked here once.
 *
 * @param headers names in lower case
 * @param state while it says so, every answer ends its connection
 */
export function serviceResponse(
  headers: Readonly<Record<string, string>>,
  state: Closing = {},
): typeof ServerResponse {
  const Base = closingResponse(state);
  const { _storeHeader: store } = ServerResponse.prototype as unknown as HeaderStep;
  // Without that step, the hook below sets them one by one.
  if (typeof store !== 'function') return Base;
  const lines = Object.entries(headers).map(([name, value]) => {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, `${name}: ${value}\r\n`] as const;
  });
  const block = lines.map(([, line]) => line).join('');

  class ServiceResponse extends Base {
    get [HAS_HEADERS](): true {
      return true;
    }

    override assignSocket(socket: Socket): void {
      if (!Object.hasOwn(socket, '_writev')) socket._writev = writeOnce;
      super.assignSocket(socket);
    }

    _storeHeader(statusLine: string, own: object | undefined): void {
      const isOverridden = own !== undefined && lines.some(([name]) => name in own);
      const others = isOverridden
        ? lines
            .filter(([name]) => !(name in own))
            .map(([, line]) => line)
            .join('')
        : block;
      store.call(this as unknown as HeaderStep, statusLine + others, own);
    }
  }
  return ServiceResponse as typeof ServerResponse;
}

/**
 * Writes chunks to a socket. Node follows each answer with an empty chunk, and writing a list of chunks takes an eighth
 * more time than writing the answer alone.
 */
function writeOnce(
  this: Socket,
  chunks: { chunk: unknown; encoding: BufferEncoding }[],
  done: (error?: Error | null) => void,
): void {
  const [answer, last] = chunks;
  if (answer !== undefined && chunks.length === 2 && last?.chunk === '') {
    this._write(answer.chunk, answer.encoding, done);
  } else Socket.prototype._writev?.call(this, chunks, done);
}

/** Tells whether an answer has the headers of every answer by its class. */
function hasHeaders(answer: ServerResponse): boolean {
  return HAS_HEADERS in answer;
}

async function setResponseHeaders(app: FastifyInstance, options: ResponseHeadersOptions): Promise<void> {
  const headers = responseHeaders(options);
  app.addHook('onRequest', (_request, reply, done) => {
    if (!hasHeaders(reply.raw)) reply.headers(headers);
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

/** Register it before everything that may answer a request by itself. */
export default fp(setResponseHeaders, { name: 'tollgate-response-headers', fastify: '5.x' });
