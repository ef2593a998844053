// What a front end may say about its session, and what it gets.

import type { SessionState } from './session-state.js';

export interface SessionOptions {
  /** Address of the services, as in their `PUBLIC_URL`; '' stands for the root of the page's own origin. */
  readonly baseUrl?: string;
  /** Goes with every log-in, refresh and log-out; `credentials` is `include` unless it says otherwise. */
  readonly fetchOptions?: RequestInit;
  /** A refresh comes up to so many seconds before its time, at random; 0 is exact, 10 unless said. */
  readonly jitterSeconds?: number;
  /** How long to wait for other tabs that refresh, before going on beside them; 10 unless said. */
  readonly lockSeconds?: number;
  /** Origins besides that of `baseUrl` to which `fetch` sends the token, e.g. `https://api.example.com`. */
  readonly bearerOrigins?: readonly string[];
  /** False asks the server at every start, also where this browser has no mark that somebody was signed in; true unless said. */
  readonly hint?: boolean;
  /** Used in place of the browser's own. */
  readonly fetch?: typeof fetch;
}

/** What is posted at a log-in: the challenge fields go beside these two. */
export interface LoginFields {
  readonly email: string;
  readonly password: string;
  readonly [field: string]: string;
}

export interface Session {
  /** A snapshot, the same object until something changes. */
  readonly state: SessionState;
  /** Calls the listener after every change. @returns ends that */
  subscribe(listener: () => void): () => void;
  /** Calls the listener with the reason whenever a session has ended without a log-out. @returns ends that */
  onExpired(listener: (reason: string) => void): () => void;
  /**
   * Sends the fields. A refusal is an answer like any other: look at `ok`. The body of a success is
   * `{ "expiresIn": … }`: the token stays here.
   * @throws what `fetch` throws when there is no answer
   * @throws {SessionError} `network` when none comes within 20 s, `invalid_answer` when a success carries no token
   */
  login(fields: LoginFields): Promise<Response>;
  /**
   * Signs in with the refresh cookie, if the browser has one: for the start of a page. With a token in hand it asks
   * nothing, nor where nobody was signed in with this browser.
   * @returns whether somebody is signed in now
   * @throws {SessionError} when that cannot be known yet: no answer, 429 or 503
   */
  resume(): Promise<boolean>;
  /**
   * The browser's `fetch`, with the token. What is answered 401 or 403 is repeated once after a refresh; when that is
   * not to be had at the first attempt, the refusal is the answer.
   * Relative addresses are relative to `baseUrl`; to other origins it goes without the token and without repetition.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /**
   * Ends the session on the server, then here and in the other tabs.
   * @throws {SessionError} when the server has not ended it; everything is as it was
   */
  logout(): Promise<void>;
  /** Forgets the token and listens to nothing any more; the session on the server lives on. */
  close(): void;
}
