// Exchanges sign-in codes, at a login and at a step-up.

import { canonicalText } from '@tollgate/shared/crypto';
import { pageOrigin, refuse, StoreUnavailable } from '@tollgate/shared/http';
import type { UserId } from '@tollgate/shared/schemas';
import type { FastifyRequest } from 'fastify';
import { accountKeyOf, type DirectoryUser } from '../directory/directory.js';
import type { SessionAttributes } from '../domain/session-record.js';
import type { SignInCode } from '../domain/sign-in-code.js';
import { CodeInvalid } from '../errors.js';
import { deviceVoidsOf, signInCodesOf } from '../plugins/dependencies.js';

/** The user authenticated by a code, the user's account key, and the application's method. */
interface ExchangedCode {
  readonly user: DirectoryUser;
  readonly key: string;
  readonly attributes: SessionAttributes;
  /** Throws CodeInvalid, after it is in the audit stream, if the user's sessions have been ended since. */
  readonly confirm: () => Promise<void>;
}

/** The conditions of an exchange. */
interface ExchangeTerms {
  /** The origin of `PUBLIC_URL`. */
  readonly publicOrigin: string;
  /** The only user who may be logged in; anyone by default. */
  readonly uid?: UserId;
}

type CodeRefusal = 'unknown' | 'other_origin' | 'other_user' | 'void' | 'user_gone';

/**
 * Takes a code for the page that sent the request. Returns undefined for a code that is unknown, used, expired or of another
 * origin, for another user than `uid`, from before the user's sessions were ended, and for a user who is deleted or
 * disabled; the audit stream has the reason. A code rejected for its origin or its user is unchanged, so no other page can
 * spend it.
 * @throws StoreUnavailable if the directory does not respond; the code stays as it is
 * @throws StoreUnavailableError if the store does not respond
 */
export async function exchangeCode(
  request: FastifyRequest,
  text: string,
  terms: ExchangeTerms,
): Promise<ExchangedCode | undefined> {
  const code = canonicalText(text);
  // Looked up first, so that neither a foreign page nor an unavailable directory spends the code.
  const meaning = await signInCodesOf(request).read(code);
  const found = meaning === undefined ? 'unknown' : await examine(request, meaning, terms);
  if (typeof found === 'string') return refused(request, found);
  const taken = await signInCodesOf(request).take(code, pageOrigin(request, terms.publicOrigin) ?? '');
  if (taken === undefined) return refused(request, 'unknown');
  request.server.metrics.countSignInCode('exchanged');
  const confirm = async () => {
    if (!(await isVoid(request, taken))) return;
    refused(request, 'void');
    throw refuse(CodeInvalid);
  };
  return { user: found, key: accountKeyOf(found), attributes: taken.attributes, confirm };
}

function refused(request: FastifyRequest, reason: CodeRefusal): undefined {
  const { audit, metrics } = request.server;
  audit.write(request, 'sign_in_code_refused', { reason });
  metrics.countSignInCode('refused');
}

/** The user of the code, or the reason for its rejection. */
async function examine(
  request: FastifyRequest,
  meaning: SignInCode,
  { publicOrigin, uid }: ExchangeTerms,
): Promise<DirectoryUser | CodeRefusal> {
  if (meaning.origin !== pageOrigin(request, publicOrigin)) return 'other_origin';
  if (uid !== undefined && meaning.uid !== uid) return 'other_user';
  if (await isVoid(request, meaning)) return 'void';
  const user = await request.server.directory.findById(meaning.uid).catch((error: unknown) => {
    request.log.error({ err: error }, 'the directory did not respond');
    throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
  });
  return user === undefined || user.disabled ? 'user_gone' : user;
}

/** Whether the user's sessions were ended after the code was made, which also ends sessions that are about to start. */
async function isVoid(request: FastifyRequest, { uid, createdAtMs }: SignInCode): Promise<boolean> {
  const ended = await deviceVoidsOf(request).read(uid);
  return ended !== undefined && createdAtMs <= ended.atMs;
}
