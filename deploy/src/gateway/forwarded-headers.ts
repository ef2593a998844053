// What the gateway changes in the headers of a request and of an answer, and nothing else.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

export interface HeaderRules {
  /** Takes the media type out of the gateway's sight; `towardsService` puts it back. */
  hideMediaType(request: FastifyRequest): void;
  towardsService(request: unknown, headers: IncomingHttpHeaders): IncomingHttpHeaders;
  towardsClient<Headers extends IncomingHttpHeaders>(headers: Headers): Headers;
}

/** Headers of one connection (RFC 9110, 7.6.1) and those that the client library refuses to send. */
const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'http2-settings', 'te'];

/**
 * The rules: the forwarding headers are set to what the gateway itself sees and never appended to, names that
 * only a gateway may send (`X-Auth-*`) are removed, connection headers stay on their connection.
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
  return plain.startsWith('x-auth-') || plain.startsWith('x-forwarded-') || plain === 'forwarded';
}
