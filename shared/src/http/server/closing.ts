// Ends the connections of a listener that stops, without losing a request that is under way.

import { type Server, ServerResponse } from 'node:http';

/** Whether a listener stops; read for each answer. */
export interface Stopping {
  readonly stopping: boolean;
}

/** The part of a Fastify application that closing uses. */
export interface ClosableApp {
  readonly server: Pick<Server, 'closeAllConnections'>;
  close(): Promise<unknown>;
}

/**
 * Returns a class of answers, for the option `ServerResponse` of a server. Once `state.stopping` is set, every answer says
 * `Connection: close` and ends its connection, also the answer to a request that came before.
 */
export function closingResponse(state: Stopping): typeof ServerResponse {
  class ClosingResponse extends ServerResponse {
    override writeHead(status: number, ...more: never[]): this {
      if (state.stopping) this.shouldKeepAlive = false;
      return Reflect.apply(super.writeHead, this, [status, ...more]);
    }
  }
  return ClosingResponse as typeof ServerResponse;
}

/**
 * Closes an application. Idle connections end at once. Those with a request under way, or on which nothing has arrived
 * yet, end after their answer, or after `limitMs` milliseconds.
 */
export async function closeListener(app: ClosableApp, limitMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limitMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
