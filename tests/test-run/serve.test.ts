// The server of a test keeps idle connections: a busy test process had got ECONNRESET for a request after six idle seconds.
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '@tollgate/test-support/serve.js';
import t from 'tap';

t.test('a request of a process that was busy for six seconds gets its response', async (t) => {
  const address = await serve(t, (request, response) => {
    request.resume();
    // As a front does that forwards its service's header.
    response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=75' }).end(request.method);
  });
  t.equal(await (await fetch(address)).text(), 'GET');
  await delay(1_000);
  const end = performance.now() + 6_500;
  while (performance.now() < end);
  t.equal(await (await fetch(address, { method: 'POST', body: 'a=1' })).text(), 'POST');
});
