// The session service's store interface: one atomic step per operation, and the search for operators.

import type { UserId } from '@tollgate/shared/schemas';
import type { ProofStore } from '@tollgate/shared/sessions';
import type {
  BindingKey,
  BindingKind,
  PresentedBinding,
  Registration,
} from '../domain/binding/binding-rule.js';
import type { EndedOutcome, GrantedOutcome } from '../domain/rotation.js';
import type { EndCause, SessionEnd } from '../domain/session-end.js';
import type { ListedSession } from '../domain/session-entry.js';
import type { SessionAttributes, SessionRecord, SessionRules } from '../domain/session-record.js';

/** Identifies a session of a user. */
export interface SessionRef {
  readonly uid: UserId;
  /** The session's id: letters and digits. */
  readonly sid: string;
}

/** A login. */
export interface SessionStart extends SessionRef {
  /** A session of the same user that ends in the same step. */
  readonly endSid?: string;
  /** As the browser sent it; stored cleaned and truncated. */
  readonly userAgent: string;
  readonly attributes?: SessionAttributes;
  /** The key that the session is bound to from its start. */
  readonly boundTo?: BindingKey | undefined;
  /** Pseudonym of the client's address, for the notes of sessions that the login ends. */
  readonly address?: string | undefined;
}

/** A presented refresh token. */
export interface PresentedToken extends SessionRef {
  /** A whole number from 1. */
  readonly generation: number;
  /** Pseudonym of the client's address, for the note of a reuse. */
  readonly address?: string | undefined;
  /**
   * Expiry of the token, in milliseconds since 1970. If the session is gone, it distinguishes an expired session from an
   * ended one.
   */
  readonly expiresAtMs?: number;
  /** The request's device key evidence; without it, bindings are ignored. */
  readonly binding?: PresentedBinding;
}

/** A browser's key for a session. */
export interface PresentedKey extends SessionRef {
  readonly key: BindingKey;
  /** As in `PresentedToken`. */
  readonly expiresAtMs?: number;
}

/** The result of a login. */
export interface StartedSession {
  /** The store's time of the login, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly absoluteExpiresAtMs: number;
  /** Whether `endSid` was alive; false for a repeated start. */
  readonly hasReplaced: boolean;
  /** Ids of the evicted sessions; empty for a repeated start. */
  readonly evicted: string[];
}

/** A session with a renewed authentication. */
export interface ReauthenticatedSession {
  /** The store's time, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly createdAtMs: number;
  readonly absoluteExpiresAtMs: number;
  readonly attributes: SessionAttributes;
}

/** The verdict on a presented refresh token. */
export type RotationVerdict =
  | {
      readonly outcome: GrantedOutcome;
      /** Generation of the new tokens. */
      readonly generation: number;
      /** The store's time, in milliseconds since 1970. */
      readonly nowMs: number;
      readonly createdAtMs: number;
      readonly absoluteExpiresAtMs: number;
      readonly attributes: SessionAttributes;
      /** Whether this step has bound the session to the proof's key. */
      readonly isBound: boolean;
    }
  | { readonly outcome: 'binding_required'; readonly kind: BindingKind }
  | { readonly outcome: EndedOutcome };

/** The store's data on a session. */
export type KnownSession =
  /**
   * The record exists: the session is alive, or expired and not removed yet. The revocation log may reject it nevertheless.
   */
  | { readonly uid: UserId; readonly record: SessionRecord }
  | { readonly uid: UserId; readonly end: SessionEnd };

/** The result of looking up a session. */
export interface SessionLookup {
  /** The store's time, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly known: KnownSession | undefined;
}

/** Numbers of removed sessions and notes. */
export interface ErasedSessions {
  readonly sessions: number;
  readonly ends: number;
}

/**
 * The sessions of all users. Every step is atomic, repeatable, and uses the store's clock. A step that ends sessions stores
 * a note of each, unless no cause is given. Every method throws StoreUnavailableError if the store does not respond.
 */
export interface SessionStore extends ProofStore {
  /**
   * Starts a session at generation 1, removes the user's expired sessions, and evicts the least recently used ones
   * beyond `maxSessions`. Repeated, it changes nothing and returns the time of the first call.
   */
  start(login: SessionStart, rules: SessionRules): Promise<StartedSession>;
  /**
   * Decides a refresh (domain/rotation.ts).
   * @throws RangeError for an invalid generation
   */
  rotate(token: PresentedToken, rules: SessionRules): Promise<RotationVerdict>;
  /** Binds a session to the key of its browser (domain/binding/binding-rule.ts). */
  bind(presented: PresentedKey): Promise<Registration['outcome']>;
  /**
   * Replaces the authentication data of a session, and nothing else.
   * @param authentication attributes of domain/session-record.ts; by default those of a password, now
   * @returns undefined if the session is not alive
   */
  reauthenticate(
    session: SessionRef,
    authentication?: SessionAttributes,
  ): Promise<ReauthenticatedSession | undefined>;
  /** Ends one session and returns whether it was alive. */
  end(session: SessionRef, cause?: EndCause): Promise<boolean>;
  /** Ends exactly these sessions of a user and returns the ids of those that were alive. */
  endListed(uid: UserId, sids: readonly string[], cause?: EndCause): Promise<string[]>;
  /** The live sessions of a user, the most recently used first. */
  list(uid: UserId): Promise<ListedSession[]>;
  /**
   * Looks up a session for an operator, who may know only its id. Not atomic; reads only.
   * @param uid user of the session; without it all users are searched, which takes time
   */
  find(sid: string, uid?: UserId): Promise<SessionLookup>;
  /** How the user's sessions ended, as far as notes exist, the newest first. */
  ends(uid: UserId): Promise<SessionEnd[]>;
  /**
   * Removes the sessions of a user and the notes of ended ones, and stores no note. Revoke the sessions first.
   * @returns how many there were
   */
  erase(uid: UserId): Promise<ErasedSessions>;
}
