// The number of headers that a server reads.

import type { FastifyInstance } from 'fastify';

/**
 * Makes a server read every header of a request; `maxHeaderSize` limits their bytes. By default Node drops the thousandth and
 * later ones without an error. Proxies in Go send headers sorted by name, so a client could drop `X-Forwarded-For`.
 */
export function keepAllHeaders({ server }: FastifyInstance): void {
  server.maxHeadersCount = 0;
}
