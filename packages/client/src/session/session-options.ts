// The options and the interface of a session.

import type { SessionState } from './session-state.js';

export interface SessionOptions {
  /** URL of the services, as in their `PUBLIC_URL`; '' is the root of the page's own origin. Absolute where there is no page. */
  readonly baseUrl?: string;
  /** Passed to every login, refresh and logout; `credentials` is `include` by default. */
  readonly fetchOptions?: RequestInit;
  /** A refresh comes up to this many seconds early, at random; 0 by default: exactly `expiresIn` − 60 s. */
  readonly jitterSeconds?: number;
  /** How long to wait for another tab that refreshes, before refreshing at the same time; 10 by default. */
  readonly lockSeconds?: number;
  /** Origins besides that of `baseUrl` to which `fetch` sends the token, e.g. `https://api.example.com`. */
  readonly bearerOrigins?: readonly string[];
  /** False asks the server at every start, even if this browser has no hint that somebody was signed in; true by default. */
  readonly hint?: boolean;
  /** Replaces the platform's `fetch`, and its cookies. */
  readonly fetch?: typeof fetch;
}

/** The body of a login: email, password and the challenge fields. */
export interface LoginFields {
  readonly email: string;
  readonly password: string;
  /** False ends the session with the browser; true by default. */
  readonly remember?: boolean;
  readonly [field: string]: string | boolean | undefined;
}

/** The body of a login with a code. */
export interface CodeFields {
  readonly code: string;
  readonly remember?: boolean;
}

/** The body of a reauthentication: password and the challenge fields, or a code. */
export type ReauthenticationFields =
  | { readonly password: string; readonly [field: string]: string }
  | Pick<CodeFields, 'code'>;

/** The body of a change of the password: both passwords and the challenge fields. */
export interface PasswordFields {
  readonly old_password: string;
  /** At least 8 characters, at most 1,024 bytes. */
  readonly new_password: string;
  readonly [field: string]: string;
}

/** How sure the end of a session is. */
export interface Expiry {
  /** Whether the service has ended the session. If not, `state.status` is `unknown`, and attempts go on. */
  readonly definitive: boolean;
}

export interface Session {
  /** A snapshot, the same object until something changes. */
  readonly state: SessionState;
  /** Calls the listener after every change. @returns a function that removes the listener */
  subscribe(listener: () => void): () => void;
  /**
   * Calls the listener with the reason whenever the access token is lost without a logout: the service has ended the
   * session (`definitive`), or nothing was learned from it until the token expired.
   * @returns a function that removes the listener
   */
  onExpired(listener: (reason: string, expiry: Expiry) => void): () => void;
  /**
   * Sends the fields and returns the response, also for a refusal: check `ok`. The body of a success is
   * `{ "expiresIn": … }`; the token stays inside the session.
   * @throws what `fetch` throws if there is no answer
   * @throws {SessionError} `network` if there is no answer within 20 s, `invalid_answer` if a success carries no token
   */
  login(fields: LoginFields): Promise<Response>;
  /**
   * Signs in with a code that the application has got for its user, and returns the response as `login` does. Each code
   * works once, for a minute.
   * @param options.remember false ends the session with the browser; true by default
   */
  loginWithCode(code: string, options?: { readonly remember?: boolean }): Promise<Response>;
  /**
   * Proves again who is signed in, for requests that are answered 401 `insufficient_user_authentication`, and keeps the
   * new token: then send that request again. Returns the response as `login` does.
   */
  reauthenticate(fields: ReauthenticationFields): Promise<Response>;
  /**
   * Replaces the password of who is signed in, and returns the response, also for a refusal: check `ok`. This session
   * goes on, in all tabs; every other session of the user ends.
   * @throws as `login` does
   */
  changePassword(fields: PasswordFields): Promise<Response>;
  /**
   * Signs in with the refresh cookie, if the browser has one: call it when the page starts. It sends no request while
   * a token is valid, or if nobody was signed in with this browser.
   * @returns whether somebody is signed in now
   * @throws {SessionError} if that is not known yet, because the service did not answer, or something else did. Attempts
   *   go on by themselves
   */
  resume(): Promise<boolean>;
  /**
   * The browser's `fetch`, with the token. A request that is answered 401 or 403 is repeated once after a refresh; if
   * the first attempt of that refresh fails, the response is the refusal. Relative URLs are relative to `baseUrl`.
   * Requests to other origins, and those with an `Authorization` of their own, carry no token and are not repeated.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /**
   * Ends the session on the server, here and in the other tabs.
   * @throws {SessionError} if the server has not confirmed it. The token is dropped in all tabs; the logout is remembered,
   *   also across a reload, and retried until the server confirms it or somebody signs in. Nothing refreshes meanwhile
   */
  logout(): Promise<void>;
  /** Forgets the token and removes all listeners. The session on the server goes on. */
  close(): void;
}
