// Reads form-urlencoded bodies, and no others.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

async function readFormsOnly(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => {
      const form = new URLSearchParams(text);
      // A field that comes twice stays a list, which no schema of a text lets through (RFC 6749, 3.1).
      const fields = [...new Set(form.keys())].map((name) => {
        const values = form.getAll(name);
        return [name, values.length === 1 ? values[0] : values];
      });
      done(null, Object.fromEntries(fields));
    },
  );
}

/** Register it inside the scope of the routes that take forms. */
export default fp(readFormsOnly, { name: 'tollgate-form-bodies', fastify: '5.x' });
