// Warns of a proxy in front of the service that `TRUST_PROXY` does not name.

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

/** Logs one warning, at the first request with `X-Forwarded-For`, if no proxy is trusted. */
export default fp(warnOfProxy, { name: 'tollgate-proxy-warning', fastify: '5.x' });
