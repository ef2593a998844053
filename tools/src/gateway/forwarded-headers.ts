// All changes that the gateway makes to request and response headers.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

export interface HeaderRules {
  /** Hides the media type from the gateway; `towardsService` restores it. */
  hideMediaType(request: FastifyRequest): void;
  towardsService(request: unknown, headers: IncomingHttpHeaders): IncomingHttpHeaders;
  towardsClient<Headers extends IncomingHttpHeaders>(headers: Headers): Headers;
}

const reservedHeaders = new Set(['forwarded', 'x-original-url', 'x-rewrite-url']);

/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that the client library cannot send. */
const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'http2-settings', 'te'];

/**
 * Creates the rules: the gateway sets the forwarding headers itself and never appends to them, removes headers that only a
 * gateway may send (`X-Auth-*`) or that replace the path (`X-Original-URL`), and forwards no hop-by-hop headers.
 */
export function forwardHeaders(): HeaderRules {
  const mediaTypes = new WeakMap<object, string>();
  return {
    hideMediaType(request) {
      const mediaType = request.raw.headers['content-type'];
      if (mediaType === undefined) return;
      mediaTypes.set(request, mediaType);
      delete request.raw.headers['content-type'];
    },
    towardsService(source, headers) {
      const request = source as FastifyRequest;
      for (const name of Object.keys(headers)) {
        if (isReserved(name)) delete headers[name];
      }
      for (const name of [...connectionHeaders, 'expect']) delete headers[name];
      headers['x-forwarded-for'] = request.raw.socket.remoteAddress ?? '';
      headers['x-forwarded-proto'] = 'http';
      headers['x-forwarded-host'] = request.raw.headers.host ?? '';
      const mediaType = mediaTypes.get(request);
      if (mediaType !== undefined) headers['content-type'] = mediaType;
      return headers;
    },
    towardsClient(headers) {
      for (const name of connectionHeaders) delete headers[name];
      return headers;
    },
  };
}

function isReserved(name: string): boolean {
  const plain = name.replaceAll('_', '-');
  return plain.startsWith('x-auth-') || plain.startsWith('x-forwarded-') || reservedHeaders.has(plain);
}
