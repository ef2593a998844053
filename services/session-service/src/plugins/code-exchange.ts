// Exchanges sign-in codes, at a log-in and at a step-up.

import { canonicalText } from '@tollgate/shared/crypto/envelope.js';
import { refuse, StoreUnavailable } from '@tollgate/shared/http/errors/errors.js';
import { pageOrigin } from '@tollgate/shared/http/server/origin-check.js';
import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { accountKeyOf } from '../directory/accounts.js';
import type { DirectoryUser } from '../directory/directory.js';
import type { SessionAttributes } from '../domain/session-record.js';
import type { SignInCode } from '../domain/sign-in-code.js';

/** The user whom a code has authenticated, the user's account key, and how the application did it. */
export interface ExchangedCode {
  readonly user: DirectoryUser;
  readonly key: string;
  readonly attributes: SessionAttributes;
}

type CodeRefusal = 'unknown' | 'other_origin' | 'other_user' | 'void' | 'user_gone';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Takes a code for the page that sent the request. Returns undefined for a code that is unknown, used, expired or of
     * another origin, for another user than `uid`, from before the user's sessions were ended, and for a user who is
     * deleted or disabled; the audit stream has the reason. A code that is refused for its origin or its user stays as it is, so no page can spend it but its own.
     * @param uid the only user who may be signed in; anyone by default
     * @throws StoreUnavailable if the directory does not answer; the code stays as it is
     * @throws StoreUnavailableError if the store does not answer
     */
    exchangeCode(request: FastifyRequest, code: string, uid?: UserId): Promise<ExchangedCode | undefined>;
  }
}

/** @param options.publicOrigin the origin of `PUBLIC_URL` */
async function codeExchange(app: FastifyInstance, { publicOrigin }: { publicOrigin: string }): Promise<void> {
  app.decorate('exchangeCode', async (request, text, uid) => {
    const code = canonicalText(text);
    // Looked up first, so that neither a foreign page nor a directory that is away spends the code.
    const meaning = await request.signInCodes.read(code);
    const found = meaning === undefined ? 'unknown' : await examine(request, meaning, uid);
    if (typeof found === 'string') return refused(request, found);
    const taken = await request.signInCodes.take(code, pageOrigin(request, publicOrigin) ?? '');
    if (taken === undefined) return refused(request, 'unknown');
    app.countSignInCode('exchanged');
    return { user: found, key: accountKeyOf(found), attributes: taken.attributes };
  });

  function refused(request: FastifyRequest, reason: CodeRefusal): undefined {
    app.audit(request, 'sign_in_code_refused', { reason });
    app.countSignInCode('refused');
  }

  /** The user of the code, or why the request may not take it. */
  async function examine(
    request: FastifyRequest,
    meaning: SignInCode,
    uid: UserId | undefined,
  ): Promise<DirectoryUser | CodeRefusal> {
    if (meaning.origin !== pageOrigin(request, publicOrigin)) return 'other_origin';
    if (uid !== undefined && meaning.uid !== uid) return 'other_user';
    // Whoever ends the sessions of a user also wants no session that is about to start.
    const ended = await request.deviceVoids.read(meaning.uid);
    if (ended !== undefined && meaning.createdAtMs <= ended.atMs) return 'void';
    const user = await app.directory.findById(meaning.uid).catch((error: unknown) => {
      request.log.error({ err: error }, 'the directory did not answer');
      throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
    });
    return user === undefined || user.disabled ? 'user_gone' : user;
  }
}

/** Decorates the server with `exchangeCode`. */
export default fp(codeExchange, {
  name: 'tollgate-code-exchange',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-audit'],
});
