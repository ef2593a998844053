// Accepts JSON bodies and no others.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { dropEmptyBody } from './empty-bodies.js';

async function readJsonOnly(app: FastifyInstance): Promise<void> {
  app.removeContentTypeParser('text/plain');
  app.addHook('preParsing', dropEmptyBody);
}

/** Reads JSON; a body without bytes is no body on any route, whatever its type. Register it before the routes. */
export default fp(readJsonOnly, { name: 'tollgate-json-bodies', fastify: '5.x' });
