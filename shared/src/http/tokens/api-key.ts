// Opens routes of the admin port to callers with their API key.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { matcherOf } from '../../crypto/constant-time.js';
import { ApiKeyInvalid, refuse } from '../errors/errors.js';
import { bearerToken } from './bearer-token.js';

/**
 * Returns an `onRequest` hook that refuses a request without the key as its bearer token, before its body is parsed.
 * @param onRefused called with each refused request
 */
export function requireApiKey(
  key: string,
  onRefused: (request: FastifyRequest) => void = () => {},
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const isKey = matcherOf(key);
  return async (request, reply) => {
    if (isKey(bearerToken(request.headers.authorization))) return;
    onRefused(request);
    reply.header('www-authenticate', 'Bearer');
    throw refuse(ApiKeyInvalid);
  };
}
