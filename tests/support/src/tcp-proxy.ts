// A TCP proxy in front of a server: a name that moves to another server, a host that vanishes, a broken connection.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A running proxy. */
export interface TcpProxy {
  readonly port: number;
  /** Its address, as a Redis URL. */
  readonly url: string;
  /** Number of connections accepted so far. */
  readonly accepted: number;
  /** Sends new connections to another port of this machine, like a changed DNS record; open ones stay. */
  moveTo(port: number): void;
  /** Forwards nothing over the open connections, and keeps them open: a vanished host sends no FIN and no RST. */
  silence(): void;
  /** Closes the open connections. */
  cut(): void;
}

/** Starts a proxy to a port of this machine. */
export async function startTcpProxy(t: Pick<Test, 'teardown'>, port: number): Promise<TcpProxy> {
  let target = port;
  let accepted = 0;
  const open = new Set<{ readonly client: Socket; readonly server: Socket }>();
  const silent = new Set<Socket>();

  const proxy = createServer((client) => {
    accepted += 1;
    const pair = { client, server: connect(target, '127.0.0.1') };
    open.add(pair);
    const passOn = (from: Socket, to: Socket) => {
      from.on('data', (data) => {
        if (!silent.has(from)) to.write(data);
      });
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(pair);
        if (!silent.delete(from)) to.destroy();
      });
    };
    passOn(pair.client, pair.server);
    passOn(pair.server, pair.client);
  }).listen(0, '127.0.0.1');

  const cut = () => {
    for (const { client, server } of open) {
      client.destroy();
      server.destroy();
    }
  };
  t.teardown(() => {
    proxy.close();
    cut();
  });
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  return {
    port: address.port,
    url: `redis://127.0.0.1:${address.port}`,
    get accepted() {
      return accepted;
    },
    moveTo(next) {
      target = next;
    },
    silence() {
      for (const { client, server } of open) {
        silent.add(client);
        silent.add(server);
      }
    },
    cut,
  };
}
