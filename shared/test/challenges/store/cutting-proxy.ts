// A proxy in front of a Redis that closes the connection instead of forwarding a reply.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** The proxy's address, and the switch that drops a reply. */
export interface CuttingProxy {
  readonly url: string;
  /** Executes the next command, and closes the connection in place of its reply. */
  loseNextReply(): void;
  /** Number of lost replies so far. */
  readonly lost: () => number;
}

/** Starts a proxy to a port of this machine. */
export async function startCuttingProxy(t: Test, port: number): Promise<CuttingProxy> {
  let cut = false;
  let lost = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      if (!cut) {
        client.write(data);
        return;
      }
      cut = false;
      lost++;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  t.teardown(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseNextReply() {
      cut = true;
    },
    lost: () => lost,
  };
}
