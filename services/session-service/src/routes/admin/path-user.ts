// The user in the path of an admin route.

import { type Static, Type } from '@sinclair/typebox';
import { refuse, StoreUnavailable } from '@tollgate/shared/http';
import { isUserId, readUserId, type UserId, UserIdText } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DirectoryUser } from '../../directory/directory.js';
import { UnknownUser } from '../../errors.js';

/** The parameters of `/users/:id/…`. */
export const UserParams = Type.Object({ id: UserIdText });
export type UserParams = Static<typeof UserParams>;

/** Returns the id; undefined for an impossible number. */
export function userIdOf({ id }: UserParams): UserId | undefined {
  const uid = readUserId(id);
  return isUserId(uid) ? uid : undefined;
}

/**
 * Returns the user as in the directory, disabled or not.
 * @throws UnknownUser, StoreUnavailable
 */
export async function findPathUser(
  app: FastifyInstance,
  request: FastifyRequest<{ Params: UserParams }>,
): Promise<DirectoryUser> {
  const uid = userIdOf(request.params);
  if (uid === undefined) throw refuse(UnknownUser);
  const user = await app.directory.findById(uid).catch((error: unknown) => {
    request.log.error({ err: error }, 'the directory did not respond');
    throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
  });
  if (user === undefined) throw refuse(UnknownUser);
  return user;
}
