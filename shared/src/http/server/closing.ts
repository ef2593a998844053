// Ends the connections of a stopping listener, without losing a request under way.

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a listener ends its connections; read for each response. */
export interface Closing {
  readonly closing?: boolean;
}

/** The part of a Fastify application that closing uses. */
interface ClosableApp {
  readonly server: Server;
  close(): Promise<unknown>;
}

/** Times of closing a listener, in milliseconds. */
export interface ClosingTimes {
  /** How long requests on open connections are served, although no new connection is accepted. */
  readonly lingerMs: number;
  /** After this time every connection is ended, even with a request under way. */
  readonly limitMs: number;
}

/**
 * Closes an application whose responses already end their connections. A connection with a request under way, or on which
 * nothing has arrived yet, is ended after its response or at the limit, an idle one after `lingerMs`.
 */
export async function closeListener(app: ClosableApp, { lingerMs, limitMs }: ClosingTimes): Promise<void> {
  const { server } = app;
  await nextQuietTurn(server, limitMs / 2);
  const limit = setTimeout(() => server.closeAllConnections(), limitMs);
  const closed = stopListening(server);
  if (lingerMs > 0) await Promise.race([closed, pause(lingerMs)]);
  server.closeIdleConnections();
  await closed;
  clearTimeout(limit);
  await app.close();
}

/**
 * Accepts no more connections; resolves when the last one has ended. Unlike `server.close()` it keeps idle ones open, and
 * takes a quarter of the time to stop accepting.
 */
function stopListening(server: Server): Promise<unknown> {
  // The error of a server that does not listen is irrelevant.
  return new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
}

/**
 * Resolves right after a turn of the event loop in which nothing arrived, at most after `limitMs`. When a listener is
 * closed, the system resets connections that it has accepted and the process has not: in a busy turn there are many.
 */
async function nextQuietTurn(server: Server, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  let arrived = 0;
  const count = () => {
    arrived += 1;
  };
  server.on('connection', count).on('request', count);
  try {
    for (let before = -1; before !== arrived && performance.now() < endMs; ) {
      before = arrived;
      await new Promise(setImmediate);
    }
  } finally {
    server.off('connection', count).off('request', count);
  }
}
