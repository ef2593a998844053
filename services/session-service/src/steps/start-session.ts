// Starts the session of a user who has just logged in, responds with tokens, and renews an authentication.

import { randomAlphanumerics } from '@tollgate/shared/crypto';
import { refuse, SessionRevoked } from '@tollgate/shared/http';
import { readUserId, type TokenBody } from '@tollgate/shared/schemas';
import { bearerOf } from '@tollgate/shared/tokens';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DirectoryUser } from '../directory/directory.js';
import {
  authenticationClaims,
  NOT_REMEMBERED,
  type SessionAttributes,
  type SessionRules,
} from '../domain/session-record.js';
import {
  type SessionMoment,
  type TokenLifetimes,
  type TokenPair,
  type TokenUser,
  tokenPair,
} from '../domain/token-pair.js';
import { sessionsOf } from '../plugins/dependencies.js';
import type { SessionStart } from '../stores/session-store.js';
import { endSession } from './end-sessions.js';

/** The configuration of new sessions and their tokens. */
export interface SessionSettings {
  readonly rules: SessionRules;
  readonly lifetimes: TokenLifetimes;
}

/** A successful login. */
interface SignedIn {
  readonly user: TokenUser;
  /** The account key of the login, for the history of the account. */
  readonly key: string;
  /** For a password: the hash that it matches, for the device cookie, and whether a known device sent it. */
  readonly password?: { readonly hash: string; readonly isKnownDevice: boolean };
  /**
   * Throws the rejection of the login if its password or code has become invalid. Called when the session exists, because a
   * password change ends only the sessions that it finds.
   */
  readonly confirm: () => Promise<void>;
  /** The authentication data in the session's record. */
  readonly attributes?: SessionAttributes;
  /** Whether the session outlives the browser; true by default. */
  readonly remember?: boolean | undefined;
}

/** Characters of a session id: 131 random bits. */
const SESSION_ID_CHARACTERS = 22;

/**
 * Starts a session, bound to the request's key if there is one, ends the sessions that the browser presented, and writes the
 * login to the audit stream. Sets the refresh cookie and, after a password login, the device cookie, and returns the body of the response.
 * @throws the rejection of `signedIn.confirm`, after the new session has ended
 * @throws StoreUnavailableError if the store does not respond
 * @throws ValidationFailed for a malformed proof; call `deviceBinding.startKey` before anything is spent
 */
export async function startSession(
  request: FastifyRequest,
  reply: FastifyReply,
  signedIn: SignedIn,
  { rules, lifetimes }: SessionSettings,
): Promise<TokenBody> {
  const { deviceBinding, knownDevice } = request.server;
  const { user, key, password, remember } = signedIn;
  const boundTo = deviceBinding.startKey(request);
  const moment = await start(request, signedIn, boundTo, rules);
  const { sid, nowMs } = moment;
  deviceBinding.started(reply, { uid: user.id, sid }, boundTo);
  if (password !== undefined) {
    knownDevice.remember(reply, { key, user: { id: user.id, hash: password.hash }, sid, nowMs }, remember);
  }
  return respondWithTokens(reply, user, moment, lifetimes);
}

/** Starts a new session and ends the sessions that the browser presented. */
async function start(
  request: FastifyRequest,
  { user, key, password, remember = true, attributes: given = {}, confirm }: SignedIn,
  boundTo: SessionStart['boundTo'],
  rules: SessionRules,
): Promise<SessionMoment> {
  const { audit, cookies, stores } = request.server;
  const uid = user.id;
  const attributes = remember ? given : { ...given, ...NOT_REMEMBERED };
  const sid = randomAlphanumerics(SESSION_ID_CHARACTERS);
  const presented = cookies.refresh
    .sessions(request)
    .map((claims) => ({ uid: readUserId(claims.sub), sid: claims.sid }));
  const own = presented.find((session) => session.uid === uid);
  const reason = 'login';
  // Sessions of other users first: if that fails, this user's session has not started.
  for (const session of presented) {
    if (session !== own && (await endSession(request, reason, session)))
      audit.write(request, 'revoke', { ...session, reason });
  }
  const userAgent = request.headers['user-agent'] ?? '';
  const address = audit.pseudonymOf(request);
  const started = await sessionsOf(request).start(
    {
      uid,
      sid,
      userAgent,
      attributes,
      boundTo,
      address,
      ...(own === undefined ? {} : { endSid: own.sid }),
    },
    rules,
  );
  // Revoke the own session even if `hasReplaced` is false: a repeated start does not know that it was alive.
  stores.revoker.revokeEnded(own === undefined ? started.evicted : [own.sid, ...started.evicted]);
  if (started.hasReplaced && own !== undefined) audit.write(request, 'revoke', { ...own, reason });
  for (const evicted of started.evicted)
    audit.write(request, 'revoke', { uid, sid: evicted, reason: 'evicted' });
  try {
    await confirm();
  } catch (error) {
    await endSession(request, password === undefined ? 'admin' : 'password', { uid, sid });
    throw error;
  }
  const { amr } = attributes;
  await audit.logIn(request, 'login', key, {
    uid,
    sid,
    ...(amr && { amr: amr.split(',') }),
    ...(password && { known_device: password.isKnownDevice }),
  });
  const { nowMs, absoluteExpiresAtMs } = started;
  return { sid, generation: 1, nowMs, createdAtMs: nowMs, absoluteExpiresAtMs, attributes };
}

/** Sets the refresh cookie and returns the response body for this state of a user's session. */
export function respondWithTokens(
  reply: FastifyReply,
  user: TokenUser,
  moment: SessionMoment,
  lifetimes: TokenLifetimes,
): TokenBody {
  const { cookies, tokens } = reply.server;
  const pair = tokenPair(user, moment, lifetimes);
  cookies.refresh.set(reply, pair.refresh, pair.cookieMaxAge);
  setPageCookie(reply, pair);
  return { accessToken: tokens.access.issue(pair.access), expiresIn: pair.expiresIn };
}

/** Sets the page cookie, if it is on. Like the refresh cookie it ends with the browser, or it lives as long as its token. */
function setPageCookie(reply: FastifyReply, { access, expiresIn, cookieMaxAge }: TokenPair): void {
  reply.server.cookies.page?.set(reply, access, cookieMaxAge === undefined ? undefined : expiresIn);
}

/**
 * Renews how and when the user of the request's bearer was authenticated. Neither the refresh token nor its
 * cookie changes; the page cookie does.
 * @param user the user of the bearer, as in the directory
 * @param authentication attributes of the authentication; by default those of a password, now
 * @returns the body of the response
 * @throws SessionRevoked if the session has ended meanwhile; StoreUnavailableError
 */
export async function renewAuthentication(
  request: FastifyRequest,
  reply: FastifyReply,
  user: DirectoryUser,
  lifetimes: TokenLifetimes,
  authentication?: SessionAttributes,
): Promise<TokenBody> {
  const { audit, tokens } = request.server;
  const { id: uid, sid, gen: generation } = bearerOf(request);
  const renewed = await sessionsOf(request).reauthenticate({ uid, sid }, authentication);
  if (renewed === undefined) throw refuse(SessionRevoked, { headers: { 'www-authenticate': 'Bearer' } });
  const { amr = [] } = authenticationClaims(renewed.attributes, renewed.createdAtMs);
  audit.write(request, 'reauthenticated', { uid, sid, amr });
  // The generation of the bearer: a newer one may not have reached the browser, and its token would prove that it did.
  const pair = tokenPair(user, { sid, generation, ...renewed }, lifetimes);
  setPageCookie(reply, pair);
  return { accessToken: tokens.access.issue(pair.access), expiresIn: pair.expiresIn };
}
