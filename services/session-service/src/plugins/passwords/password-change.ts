// Replaces a password, and ends the sessions that were opened with the old one.

import { refuse } from '@tollgate/shared/http/errors/errors.js';
import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { DirectoryUser } from '../../directory/directory.js';
import { DirectoryReadOnly, PasswordConflict } from '../../errors.js';
import { refusalOf } from './password-refusals.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * An `onRequest` hook that refuses a request while the directory cannot replace passwords.
     * @throws DirectoryReadOnly
     */
    requireWritablePasswords(request: FastifyRequest): Promise<void>;
    /**
     * Replaces the password of a user, ends the user's sessions except `exceptSid`, and voids all device cookies. If it
     * throws, the old password is still valid, unless the directory or the store failed in the middle: calling it again
     * completes the change.
     * @param user as the directory has it: another hash there meanwhile is a conflict
     * @throws PasswordConflict, Overloaded, StoreUnavailable; StoreUnavailableError
     */
    changePassword(
      request: FastifyRequest,
      user: DirectoryUser,
      password: string,
      exceptSid?: string,
    ): Promise<void>;
  }
}

async function passwordChange(app: FastifyInstance): Promise<void> {
  const { directory, signIn } = app;

  app.decorate('requireWritablePasswords', async () => {
    if (directory.saveHash === undefined) throw refuse(DirectoryReadOnly);
  });

  async function endOthers(request: FastifyRequest, uid: UserId, exceptSid: string | undefined) {
    const reason = 'password';
    const ended = await app.endSessions(request, reason, uid, exceptSid);
    for (const sid of ended) app.audit(request, 'revoke', { uid, sid, reason });
  }

  /** Returns whether the directory still had the hash of `user`. */
  async function save({ id, hash: oldHash }: DirectoryUser, hash: string) {
    return directory.saveHash?.(id, oldHash, hash).catch((error: unknown) => {
      throw refusalOf(error, app.log);
    });
  }

  app.decorate('changePassword', async (request, user, password, exceptSid) => {
    const hash = await signIn.hash(password).catch((error: unknown) => {
      throw refusalOf(error, app.log);
    });
    // Before the password is replaced: if the store fails, the same request can be sent again.
    await endOthers(request, user.id, exceptSid);
    if (!(await save(user, hash))) throw refuse(PasswordConflict);
    const by = exceptSid === undefined ? 'application' : 'user';
    app.audit(request, 'password_changed', {
      uid: user.id,
      ...(exceptSid !== undefined && { sid: exceptSid }),
      by,
    });
    // Whoever knows the old password may have signed in meanwhile.
    await endOthers(request, user.id, exceptSid);
  });
}

/** Decorates the server with `requireWritablePasswords` and `changePassword`. */
export default fp(passwordChange, {
  name: 'tollgate-password-change',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-end-sessions', 'tollgate-audit'],
});
