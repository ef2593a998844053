// Accepts JSON bodies that are not compressed, and no others.

import type { FastifyInstance, preParsingHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { refuse, UnsupportedMediaType } from '../errors/errors.js';
import { dropEmptyBody } from './empty-bodies.js';

/** Nothing here decompresses: the bytes of a compressed body would be malformed JSON (RFC 9110, 15.5.16). */
const refuseEncodedBody: preParsingHookHandler = (request, _reply, payload, done) => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const isRead = request.method !== 'GET' && request.method !== 'HEAD';
  if (!isRead || encoding === '' || encoding === 'identity') return done(null, payload);
  done(refuse(UnsupportedMediaType, { headers: { 'accept-encoding': 'identity' } }));
};

async function readJsonOnly(app: FastifyInstance): Promise<void> {
  app.removeContentTypeParser('text/plain');
  app.addHook('preParsing', dropEmptyBody);
  app.addHook('preParsing', refuseEncodedBody);
}

/** Reads JSON that is not compressed; a body without bytes is no body on any route, whatever its type. Register it before the routes. */
export default fp(readJsonOnly, { name: 'tollgate-json-bodies', fastify: '5.x' });
