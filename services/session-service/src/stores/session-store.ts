// What the session service asks of its store: one atomic step each.

import type { ProofStore } from '@tollgate/shared/sessions/proof-of-use.js';
import type { GrantedOutcome, RefusedOutcome } from '../domain/rotation.js';
import type { EndCause } from '../domain/session-end.js';
import type { SessionRules } from '../domain/session-rules.js';

/** A session of a user. */
export interface SessionName {
  /** The user's id: a whole number. */
  readonly uid: number;
  /** The session's id: letters and digits. */
  readonly sid: string;
}

/** A log-in. */
export interface SessionStart extends SessionName {
  /** A session of the same user that ends in the same step. */
  readonly endSid?: string;
  /** As the browser sent it; kept cleaned and cut. */
  readonly userAgent: string;
  /** The keyed address of the client, for the notes of what the log-in ends. */
  readonly address?: string | undefined;
}

/** A refresh token that came. */
export interface PresentedToken extends SessionName {
  /** A whole number from 1. */
  readonly generation: number;
  /** The keyed address of the client, for the note of a reuse. */
  readonly address?: string | undefined;
  /** When the token expires, in milliseconds since 1970: it tells an expired session that has gone from one that was ended. */
  readonly expiresAtMs?: number;
}

export interface StartedSession {
  /** The store's time of the log-in, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly absoluteExpiresAtMs: number;
  /** Whether `endSid` was alive; a start that was re-sent says so in the first answer only. */
  readonly hasReplaced: boolean;
  /** Ids of the sessions that had to go; those of a start that was re-sent are in the first answer only. */
  readonly evicted: string[];
}

/** What a refresh is answered with. */
export type RotationVerdict =
  | {
      readonly outcome: GrantedOutcome;
      /** Generation of the new tokens. */
      readonly generation: number;
      /** The store's time, in milliseconds since 1970. */
      readonly nowMs: number;
      readonly absoluteExpiresAtMs: number;
    }
  | { readonly outcome: RefusedOutcome };

/** A live session as its user may see it. Times are milliseconds since 1970. */
export interface ListedSession {
  readonly sid: string;
  readonly createdAtMs: number;
  /** Start or last refresh. */
  readonly lastUsedAtMs: number;
  /** It ends here unless it is refreshed. */
  readonly expiresAtMs: number;
  readonly userAgent: string;
}

/**
 * The sessions of all users. A step that ends sessions keeps a note of each, unless it was given no cause. Every method is one step that happens wholly or not at all, may be sent twice,
 * and throws StoreUnavailableError when the store does not answer. The store's clock is the only clock.
 */
export interface SessionStore extends ProofStore {
  /**
   * Starts a session at generation 1, drops the user's dead ones, and evicts the least recently used beyond
   * `maxSessions`. Sent again it changes nothing and answers with the first time.
   */
  start(login: SessionStart, rules: SessionRules): Promise<StartedSession>;
  /**
   * Answers a refresh (domain/rotation.ts).
   * @throws RangeError for a generation that is none
   */
  rotate(token: PresentedToken, rules: SessionRules): Promise<RotationVerdict>;
  /** Ends one session and says whether there was one. */
  end(session: SessionName, cause?: EndCause): Promise<boolean>;
  /** Ends exactly these sessions of a user and returns the ids of those that were alive. */
  endListed(uid: number, sids: readonly string[], cause?: EndCause): Promise<string[]>;
  /** The live sessions of a user, the most recently used first. */
  list(uid: number): Promise<ListedSession[]>;
}
