// What the tabs of one browser, and thieves with a copy of its refresh token, set out to do.

/** One session from its login on. */
export interface History {
  readonly rounds: readonly Round[];
  readonly thieves: readonly Thief[];
}

/** A time at which tabs of the browser refresh. */
export interface Round {
  /** Since the beginning of the round before, or since the login; milliseconds. */
  readonly pauseMs: number;
  readonly refreshes: readonly TabRefresh[];
}

/**
 * What becomes of a refresh: it `arrives`, it is `cut_off` after its headers (the cookie is stored, no script sees
 * the access token), its answer is `lost`, or its request was `unsent`.
 */
export type Fate = 'arrives' | 'cut_off' | 'lost' | 'unsent';

/** One tab's refresh. Times are milliseconds. */
export interface TabRefresh {
  /** Since the beginning of the round. The tab sends what the cookie jar holds then. */
  readonly startMs: number;
  /** From the tab to the server. */
  readonly requestMs: number;
  /** From the server to the tab. */
  readonly answerMs: number;
  readonly fate: Fate;
  /** From the answer to a protected request with its access token; undefined when there is none. */
  readonly useMs: number | undefined;
}

/** One thief. Times are milliseconds since the beginning of a round of the owner. */
export interface Thief {
  /** When the thief copies the cookie jar. */
  readonly copy: { readonly round: number; readonly afterMs: number };
  /** When the thief refreshes with the newest token it has. */
  readonly moves: readonly Move[];
}

export interface Move {
  /** Rounds of the owner since the thief's move before, or since the copy. */
  readonly roundsLater: number;
  readonly afterMs: number;
  /** From the answer to a protected request with its access token; undefined when there is none. */
  readonly useMs: number | undefined;
}
