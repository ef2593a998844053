// Many connections from a separate process: silent ones, and ones that send requests and never read.
import { once } from 'node:events';
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

/** Arguments of the process: `idle` or `deaf`, host, port, number of connections. */
export type ConnectionsArguments = readonly ['idle' | 'deaf', string, string, string];

const AT_ONCE = 250;
/** Together more than the buffers of both sides. */
const REQUESTS = 400;
const REQUEST = 'GET /openapi.json HTTP/1.1\r\nHost: drill\r\n\r\n';

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(process.argv.slice(2) as unknown as ConnectionsArguments);
}

async function main([kind, host, port, count]: ConnectionsArguments): Promise<void> {
  let open = 0;
  while (open < Number(count)) {
    const sockets = Array.from({ length: Math.min(AT_ONCE, Number(count) - open) }, () =>
      connect(Number(port), host),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) {
      socket.on('error', () => {});
      if (kind === 'deaf') socket.pause().write(REQUEST.repeat(REQUESTS));
    }
    open += sockets.length;
  }
  console.log(`${open} connections are open`);
  // Connections closed by the other side must not end the process.
  setInterval(() => {}, 1_000);
}
