// Closes connections whose client does not read its answers.

import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

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

declare module 'fastify' {
  interface FastifyInstance {
    /** Closes this connection when a write to it makes no progress; for requests that run no hook. */
    watchWrites(socket: unknown): void;
  }
}

async function writeTimeout(
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

  app.decorate('watchWrites', (socket: unknown) => {
    // An injected request has a socket of another kind.
    if (!(socket instanceof Socket) || watched.has(socket)) return;
    watched.set(socket, null);
    timer ??= setInterval(check, timeoutMs / CHECKS).unref();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    app.watchWrites(request.raw.socket);
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

/** Decorates the server with `watchWrites`, and watches every connection with a request. */
export default fp(writeTimeout, { name: 'tollgate-write-timeout', fastify: '5.x' });
