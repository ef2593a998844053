// The class of our servers' answers: the headers that all of them have, as one block of text, and one write for each.

import { ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { Socket } from 'node:net';
import { type Closing, closingResponse } from './closing.js';

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
  // Without that step, the hook of response-headers.ts sets them one by one.
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
export function hasHeaders(answer: ServerResponse): boolean {
  return HAS_HEADERS in answer;
}
