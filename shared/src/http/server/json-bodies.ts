// Accepts only uncompressed JSON bodies; an empty body counts as none.

import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { refuse, UnsupportedMediaType } from '../errors/errors.js';

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

/**
 * Removes `Content-Type`, `Content-Encoding` and `Transfer-Encoding` of a request with an empty body, so that Fastify reads
 * none. Gateways frame a request without a body in several ways: Caddy sends `Transfer-Encoding: chunked`, and wrappers of
 * `fetch` add a type to every POST. An empty form remains one on routes that accept forms. A `preParsing` hook: `onRequest`
 * hooks have passed.
 */
export const dropEmptyBody: preParsingHookHandler = (request, _reply, payload, done) => {
  const { headers } = request.raw;
  if (headers['transfer-encoding'] === undefined) {
    if (Number(headers['content-length'] ?? 0) === 0) forgetBody(request);
    done(null, payload);
    return;
  }
  firstBytes(payload, (bytes) => {
    if (bytes === 0) forgetBody(request);
    done(null, payload);
  });
};

const FORM = 'application/x-www-form-urlencoded';

function forgetBody({ raw: { headers }, server }: FastifyRequest): void {
  // A form without fields is empty too; a route that accepts forms reports the missing fields.
  const isForm = headers['content-type']?.startsWith(FORM) === true && server.hasContentTypeParser(FORM);
  if (!isForm) delete headers['content-type'];
  delete headers['content-encoding'];
  delete headers['transfer-encoding'];
}

/** Calls back with the number of bytes that arrive first; 0 at the end of an empty body. Reads none of them. */
function firstBytes(payload: Readable, done: (bytes: number) => void): void {
  if (payload.readableLength > 0 || payload.readableEnded || payload.destroyed) {
    done(payload.readableLength);
    return;
  }
  const events = ['readable', 'end', 'close'];
  const arrived = () => {
    for (const event of events) payload.off(event, arrived);
    done(payload.readableLength);
  };
  for (const event of events) payload.on(event, arrived);
}

/** Reads uncompressed JSON; an empty body counts as none on any route, whatever its type. Register it before the routes. */
export default fp(readJsonOnly, { name: 'tollgate-json-bodies', fastify: '5.x' });
