// A server of a test.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/**
 * Serves requests until the test ends, also those without a response. Returns the address: `http://127.0.0.1:PORT`.
 * An idle connection stays open: a busy process would send its next request on a connection that it closes in the same step.
 * @param name the host name of the address
 */
export async function serve(
  t: Pick<Test, 'teardown'>,
  listener: RequestListener,
  name: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${name}:${(server.address() as AddressInfo).port}`;
}
