// Opens routes of the admin port to who knows their key.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { matcherOf } from '../../crypto/constant-time.js';
import { defineError } from '../errors/define-error.js';
import { refuse } from '../errors/errors.js';
import { bearerToken } from './bearer-token.js';

/** The key is missing or wrong. */
export const ApiKeyInvalid = defineError('API_KEY_INVALID', 401);

/**
 * An `onRequest` hook: what does not carry the key as its bearer is refused before anything of it is parsed.
 * @param onRefused told of each request that is refused
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
