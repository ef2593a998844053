// Exchanges sign-in codes, at a login and at a step-up.

import { canonicalText } from '@tollgate/shared/crypto';
import { pageOrigin, refuse, StoreUnavailable } from '@tollgate/shared/http';
import type { UserId } from '@tollgate/shared/schemas';
import type { FastifyRequest } from 'fastify';
import { accountKeyOf, type DirectoryUser } from '../directory/directory.js';
import type { SessionAttributes } from '../domain/session-record.js';
import type { SignInCode } from '../domain/sign-in-code.js';
import { deviceVoidsOf, signInCodesOf } from '../plugins/dependencies.js';

/** The user whom a code has authenticated, the user's account key, and how the application did it. */
export interface ExchangedCode {
  readonly user: DirectoryUser;
  readonly key: string;
  readonly attributes: SessionAttributes;
}

/** Which code may be exchanged. */
export interface ExchangeTerms {
  /** The origin of `PUBLIC_URL`. */
  readonly publicOrigin: string;
  /** The only user who may be signed in; anyone by default. */
  readonly uid?: UserId;
}

type CodeRefusal = 'unknown' | 'other_origin' | 'other_user' | 'void' | 'user_gone';

/**
 * Takes a code for the page that sent the request. Returns undefined for a code that is unknown, used, expired or of
 * another origin, for another user than `uid`, from before the user's sessions were ended, and for a user who is
 * deleted or disabled; the audit stream has the reason. A code that is refused for its origin or its user stays as it is, so no page can spend it but its own.
 * @throws StoreUnavailable if the directory does not answer; the code stays as it is
 * @throws StoreUnavailableError if the store does not answer
 */
export async function exchangeCode(
  request: FastifyRequest,
  text: string,
  terms: ExchangeTerms,
): Promise<ExchangedCode | undefined> {
  const code = canonicalText(text);
  // Looked up first, so that neither a foreign page nor a directory that is away spends the code.
  const meaning = await signInCodesOf(request).read(code);
  const found = meaning === undefined ? 'unknown' : await examine(request, meaning, terms);
  if (typeof found === 'string') return refused(request, found);
  const taken = await signInCodesOf(request).take(code, pageOrigin(request, terms.publicOrigin) ?? '');
  if (taken === undefined) return refused(request, 'unknown');
  request.server.metrics.countSignInCode('exchanged');
  return { user: found, key: accountKeyOf(found), attributes: taken.attributes };
}

function refused(request: FastifyRequest, reason: CodeRefusal): undefined {
  const { audit, metrics } = request.server;
  audit.write(request, 'sign_in_code_refused', { reason });
  metrics.countSignInCode('refused');
}

/** The user of the code, or why the request may not take it. */
async function examine(
  request: FastifyRequest,
  meaning: SignInCode,
  { publicOrigin, uid }: ExchangeTerms,
): Promise<DirectoryUser | CodeRefusal> {
  if (meaning.origin !== pageOrigin(request, publicOrigin)) return 'other_origin';
  if (uid !== undefined && meaning.uid !== uid) return 'other_user';
  // Whoever ends the sessions of a user also wants no session that is about to start.
  const ended = await deviceVoidsOf(request).read(meaning.uid);
  if (ended !== undefined && meaning.createdAtMs <= ended.atMs) return 'void';
  const user = await request.server.directory.findById(meaning.uid).catch((error: unknown) => {
    request.log.error({ err: error }, 'the directory did not answer');
    throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
  });
  return user === undefined || user.disabled ? 'user_gone' : user;
}
