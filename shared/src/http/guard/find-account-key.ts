// Finds the account that a request to a guarded route is about.

import type { FastifyRequest, RouteGenericInterface } from 'fastify';
import { MAX_KEY_CHARACTERS } from '../../schemas/host-bodies.js';
import { refuse, ValidationFailed } from '../errors/errors.js';

/** Finds the account that a request is about; undefined if it names none. May be asynchronous. */
export type AccountKeyOf<Route extends RouteGenericInterface = RouteGenericInterface> = (
  request: FastifyRequest<Route>,
) => string | undefined | Promise<string | undefined>;

/**
 * The account by the host's function, which may count on a body that this request has not: a TypeError out of it is
 * the client's mistake, like a key that is no text of 1 to 512 characters. Whatever else it throws is the host's.
 *
 * @throws ValidationFailed
 */
export async function findAccountKey(
  keyOf: AccountKeyOf | undefined,
  request: FastifyRequest,
): Promise<string | undefined> {
  let key: unknown;
  try {
    key = await keyOf?.(request);
  } catch (error) {
    // fetch tells a server out of reach by a TypeError with a cause.
    if (!(error instanceof TypeError) || error.cause !== undefined) throw error;
    throw noAccount(request, `key threw ${error.name}`);
  }
  if (key === undefined || isAccountKey(key)) return key;
  throw noAccount(request, `key must give a text of 1 to ${MAX_KEY_CHARACTERS} characters`);
}

function isAccountKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARACTERS;
}

/** The refusal of a request that names no account where one is needed. @param reason for the log */
export function noAccount(request: FastifyRequest, reason: string): Error {
  request.log.info({ code: 'validation_failed', reason }, 'no account');
  return refuse(ValidationFailed, { fields: { body: ['malformed'] } });
}
