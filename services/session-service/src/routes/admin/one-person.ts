// The person in the body of an admin route.

import { refuse, StoreUnavailable, ValidationFailed } from '@tollgate/shared/http';
import type { FastifyRequest } from 'fastify';
import { DirectoryUnavailableError } from '../../directory/directory.js';
import type { PersonRequest } from '../../person/person-bodies.js';

/** @throws ValidationFailed unless the body has exactly one of `id` and `email` */
export function requireOnePerson({ id, email }: PersonRequest): void {
  if (id === undefined && email === undefined)
    throw refuse(ValidationFailed, { fields: { email: ['required'] } });
  if (id !== undefined && email !== undefined)
    throw refuse(ValidationFailed, { fields: { email: ['unknown_field'] } });
}

/**
 * Runs a function that needs the directory.
 * @throws StoreUnavailable if the directory does not respond
 */
export async function withDirectory<T>(request: FastifyRequest, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DirectoryUnavailableError)) throw error;
    request.log.error({ err: error }, 'the directory did not respond');
    throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
  }
}
