// What the store knows of a session, found for an operator who may have nothing but its id.

import type { SessionEnd } from '../domain/session-end.js';
import type { SessionRecord } from '../domain/session-record.js';

/** What is known of a session. */
export type KnownSession =
  /**
   * Its record is there: it is alive, or dead since the record's expiry and not cleared away yet. An entry of the
   * revocation log may refuse it all the same.
   */
  | { readonly uid: number; readonly record: SessionRecord }
  | { readonly uid: number; readonly end: SessionEnd };

/** What a search has come to. */
export interface SearchResult {
  /** The store's time, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly known: KnownSession | undefined;
}

/** Reads only. Throws StoreUnavailableError when the store does not answer. */
export interface SessionSearch {
  /** @param uid its user; without one all users are looked through, which takes its time */
  find(sid: string, uid?: number): Promise<SearchResult>;
  /** How the user's sessions ended, as far as there are notes, the newest first. */
  ends(uid: number): Promise<SessionEnd[]>;
}
