// The responses of our servers: how each of them leaves its connection.

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Closing } from './closing.js';
import {
  DISCARD_LIMITS,
  type DiscardLimits,
  discardBody,
  isBodyUnread,
  isDiscardable,
} from './unread-bodies.js';

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
