// Discards the rest of a request body that is answered before all of it has arrived.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How much of a body is discarded after its answer, and for how long. */
export interface DiscardLimits {
  readonly bytes: number;
  /** Milliseconds. */
  readonly ms: number;
}

/** The limits of our servers. Gateways usually pass on bodies of 1 MiB. */
export const DISCARD_LIMITS: DiscardLimits = { bytes: 1_048_576, ms: 5_000 };

const answered = new WeakSet<object>();
const ending = new WeakSet<object>();

/** Whether bytes of the request's body may still arrive. */
export function isBodyUnread({ complete, destroyed, headers }: IncomingMessage): boolean {
  if (complete || destroyed) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a request on this connection has its answer although its body is still arriving. */
export function isAnswered(socket: object): boolean {
  return answered.has(socket);
}

/** Whether the request announces a body that fits the limits. */
export function isDiscardable({ headers }: IncomingMessage, { bytes }: DiscardLimits): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= bytes;
}

/**
 * Discards the rest of the body, then calls `done`. Beyond `bytes` it reads no more, and after `ms` it closes the connection:
 * a connection that is closed while its peer still sends is reset, and a gateway that has not yet read the response takes
 * that for a process that has failed.
 */
export function discardBody(request: IncomingMessage, limits: DiscardLimits, done: () => void): void {
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
