// Accepts JSON bodies and no others.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

async function readJsonOnly(app: FastifyInstance): Promise<void> {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Wrappers of fetch set the type on every POST; a route that needs a body has a schema that refuses a missing one.
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}

/** Parses JSON; an empty body is undefined, and `__proto__`, or `constructor` with a `prototype`, is malformed JSON. */
export default fp(readJsonOnly, { name: 'tollgate-json-bodies', fastify: '5.x' });
