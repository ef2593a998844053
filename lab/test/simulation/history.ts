// The intended actions of one browser's tabs, and of thieves with a copy of its refresh token.

/** One session from its login on. */
export interface History {
  readonly rounds: readonly Round[];
  readonly thieves: readonly Thief[];
}

/** A time at which tabs of the browser refresh. */
export interface Round {
  /** Since the beginning of the previous round, or since the login; milliseconds. */
  readonly pauseMs: number;
  readonly refreshes: readonly TabRefresh[];
}

/**
 * The fate of a refresh: it `arrives`, it is `cut_off` after its headers (the cookie is stored, no script sees the access
 * token), its response is `lost`, or its request was `unsent`.
 */
export type Fate = 'arrives' | 'cut_off' | 'lost' | 'unsent';

/** One tab's refresh. Times are milliseconds. */
export interface TabRefresh {
  /** Since the beginning of the round. The tab sends the cookie jar's content at that time. */
  readonly startMs: number;
  /** From the tab to the server. */
  readonly requestMs: number;
  /** From the server to the tab. */
  readonly answerMs: number;
  readonly fate: Fate;
  /** From the response to a protected request with its access token; undefined if there is none. */
  readonly useMs: number | undefined;
}

/** One thief. Times are milliseconds since the beginning of an owner's round. */
export interface Thief {
  /** When the thief copies the cookie jar. */
  readonly copy: { readonly round: number; readonly afterMs: number };
  /** When the thief refreshes with its newest token. */
  readonly moves: readonly Move[];
}

export interface Move {
  /** Rounds of the owner since the thief's previous move, or since the copy. */
  readonly roundsLater: number;
  readonly afterMs: number;
  /** From the response to a protected request with its access token; undefined if there is none. */
  readonly useMs: number | undefined;
}
