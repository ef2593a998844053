// The refusals that every route for passwords shares.

import {
  type FieldMessage,
  Overloaded,
  refuse,
  StoreUnavailable,
} from '@tollgate/shared/http/errors/errors.js';
import { MAX_PASSWORD_BYTES } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyBaseLogger } from 'fastify';
import { DirectoryUnavailableError } from '../../directory/directory.js';
import { HashingOverloadedError } from '../../passwords/hashing-queue.js';

/**
 * Returns what to throw for an error of the directory or of the hashing queue: Overloaded or StoreUnavailable, each with
 * `Retry-After`. Returns any other error as it is.
 */
export function refusalOf(error: unknown, log: FastifyBaseLogger): unknown {
  const headers = { 'retry-after': 1 };
  if (error instanceof HashingOverloadedError) return refuse(Overloaded, { headers });
  if (!(error instanceof DirectoryUnavailableError)) return error;
  log.error({ err: error }, 'the directory did not answer');
  return refuse(StoreUnavailable, { headers });
}

const PASSWORD_FIELDS = ['password', 'old_password', 'new_password'] as const;

/**
 * Returns a message for each field of a body whose password is too long; undefined if there is none. The schema limits
 * characters, but the cost of hashing depends on bytes.
 */
export function longPasswords(body: unknown): Readonly<Record<string, FieldMessage[]>> | undefined {
  const fields = Object(body) as Readonly<Record<string, unknown>>;
  const tooLong = PASSWORD_FIELDS.filter((field) => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return typeof value === 'string' && Buffer.byteLength(value) > MAX_PASSWORD_BYTES;
  });
  if (tooLong.length === 0) return undefined;
  const message = { key: 'too_long', params: { limit: MAX_PASSWORD_BYTES } } as const;
  return Object.fromEntries(tooLong.map((field) => [field, [message]]));
}
