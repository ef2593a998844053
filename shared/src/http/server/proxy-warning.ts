// Warns when a proxy seems to be in front that nobody has named.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const WARNING =
  'X-Forwarded-For arrives although TRUST_PROXY is not set: behind a proxy all clients count as one address';

async function warnOfProxy(
  app: FastifyInstance,
  { trustProxy = [] }: { readonly trustProxy?: readonly string[] | undefined },
): Promise<void> {
  if (trustProxy.length > 0) return;
  let isWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isWarned && request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true;
      app.log.warn(WARNING);
    }
    done();
  });
}

/** One line of log, at the first such request (decisions 4, `TRUST_PROXY`). */
export default fp(warnOfProxy, { name: 'tollgate-proxy-warning', fastify: '5.x' });
