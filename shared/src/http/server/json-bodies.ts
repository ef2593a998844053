// Reads JSON bodies, and no others.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

async function readJsonOnly(app: FastifyInstance): Promise<void> {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Browsers' fetch wrappers set the type on every POST; a route that needs a body has a schema that says so.
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}

/** An empty body is no body; `__proto__`, and `constructor` with a `prototype`, are malformed JSON. */
export default fp(readJsonOnly, { name: 'tollgate-json-bodies', fastify: '5.x' });
