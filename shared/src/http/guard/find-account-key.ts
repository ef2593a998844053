// Finds the account that a request to a guarded route is about.

import type { FastifyRequest, RouteGenericInterface } from 'fastify';
import { MAX_KEY_CHARACTERS } from '../../schemas/host-bodies.js';
import { refuse, ValidationFailed } from '../errors/errors.js';

/**
 * Returns the account that a request is about, as text of 1 to 512 characters; undefined if it names none. May be
 * asynchronous. A TypeError thrown by it, unless it has a cause, refuses the request with 422 `validation_failed`.
 */
export type AccountKeyOf<Route extends RouteGenericInterface = RouteGenericInterface> = (
  request: FastifyRequest<Route>,
) => string | undefined | Promise<string | undefined>;

/**
 * Calls the application's function. A TypeError from it means that the request lacks the body that the function expects,
 * so the client is refused, as it is for a key that is not a text of 1 to 512 characters. Any other error is passed on.
 *
 * @throws ValidationFailed
 */
export async function findAccountKey(
  keyOf: AccountKeyOf,
  request: FastifyRequest,
): Promise<string | undefined> {
  let key: unknown;
  try {
    key = await keyOf(request);
  } catch (error) {
    // fetch reports an unreachable server as a TypeError with a cause.
    if (!(error instanceof TypeError) || error.cause !== undefined) throw error;
    throw noAccountError(request, `key threw ${error.name}`);
  }
  if (key === undefined || isAccountKey(key)) return key;
  throw noAccountError(request, `key must give a text of 1 to ${MAX_KEY_CHARACTERS} characters`);
}

function isAccountKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARACTERS;
}

/** Logs and returns the refusal of a request that names no account where one is needed. @param reason for the log */
export function noAccountError(request: FastifyRequest, reason: string): Error {
  request.log.info({ code: 'validation_failed', reason }, 'no account');
  return refuse(ValidationFailed, { fields: { body: ['malformed'] } });
}
