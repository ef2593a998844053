// Opens routes of the admin port to who knows their key.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from './bearer.js';
import { defineError } from './define-error.js';
import { refuse } from './errors.js';

/** The key is missing or wrong. */
export const ApiKeyInvalid = defineError('API_KEY_INVALID', 401);

/** An `onRequest` hook: what does not carry the key as its bearer is refused before anything of it is parsed. */
export function requireApiKey(key: string): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  // Digests are of one length, so that the time tells nothing about that of the key either.
  const blind = randomBytes(32);
  const digest = (text: string) => createHmac('sha256', blind).update(text).digest();
  const expected = digest(key);
  return async (request, reply) => {
    if (timingSafeEqual(digest(bearerToken(request.headers.authorization)), expected)) return;
    reply.header('www-authenticate', 'Bearer');
    throw refuse(ApiKeyInvalid);
  };
}
