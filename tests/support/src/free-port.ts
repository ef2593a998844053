// Ports for programs that cannot choose one by themselves.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems take for outgoing connections, and below those that the launcher chooses from; the bus of a
 * cluster's node, which listens 10,000 above its port, is below the first as well.
 */
const LOWEST = 10_000;
const HIGHEST = 19_999;

/** Returns a port of this machine that nothing listens on, and that no connection takes before the caller listens. */
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
