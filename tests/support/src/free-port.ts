// Ports for programs that cannot choose one themselves.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports of outgoing connections and of the launcher; so is the bus port of a cluster node, 10,000 above its port.
 */
const LOWEST = 10_000;
const HIGHEST = 19_999;

/** Returns a free port of this machine that no outgoing connection takes before the caller listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true));
    });
    if (!isFree) continue;
    const closed = once(probe, 'close');
    probe.close();
    await closed;
    return port;
  }
}
