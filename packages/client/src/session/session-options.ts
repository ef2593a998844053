// Session options and interface.

import type { SessionState } from './session-state.js';

export interface SessionOptions {
  /** URL of the services, as in their `PUBLIC_URL`; '' is the root of the page's origin. Absolute outside of a page. */
  readonly baseUrl?: string;
  /** Passed to every login, refresh and logout; `credentials` is `include` by default. */
  readonly fetchOptions?: RequestInit;
  /** Random advance of a refresh, up to this many seconds; 0 by default: exactly `expiresIn` − 60 s. */
  readonly jitterSeconds?: number;
  /** Lock timeout in seconds: afterwards a tab refreshes while another one does; 10 by default. */
  readonly lockSeconds?: number;
  /** Additional origins to which `fetch` sends the token, e.g. `https://api.example.com`; that of `baseUrl` is included. */
  readonly bearerOrigins?: readonly string[];
  /** False asks the server at every start, even without a login hint in this browser; true by default. */
  readonly hint?: boolean;
  /** Replaces the platform's `fetch` and cookies. */
  readonly fetch?: typeof fetch;
}

/** Login body: email, password and the challenge fields. */
export interface LoginFields {
  readonly email: string;
  readonly password: string;
  /** False ends the session with the browser; true by default. */
  readonly remember?: boolean;
  readonly [field: string]: string | boolean | undefined;
}

/** Login body with a code. */
export interface CodeFields {
  readonly code: string;
  readonly remember?: boolean;
}

/** Reauthentication body: password and the challenge fields, or a code. */
export type ReauthenticationFields =
  | { readonly password: string; readonly [field: string]: string }
  | Pick<CodeFields, 'code'>;

/** Password change body: both passwords and the challenge fields. */
export interface PasswordFields {
  readonly old_password: string;
  /** At least 8 characters, at most 1,024 bytes. */
  readonly new_password: string;
  readonly [field: string]: string;
}

/** Certainty of an expiry. */
export interface Expiry {
  /** Whether the service has ended the session. If not, `state.status` is `unknown`, and retries continue. */
  readonly definitive: boolean;
}

export interface Session {
  /** Snapshot, the same object until a change. */
  readonly state: SessionState;
  /** Calls the listener after each change. @returns a function that removes the listener */
  subscribe(listener: () => void): () => void;
  /**
   * Calls the listener with the reason when the access token is lost without a logout: the service has ended the session
   * (`definitive`), or the token expired before it responded.
   * @returns a function that removes the listener
   */
  onExpired(listener: (reason: string, expiry: Expiry) => void): () => void;
  /**
   * Sends the fields and returns the response, including error responses: check `ok`. The body of a success is
   * `{ "expiresIn": … }`; the token stays inside the session.
   * @throws errors of `fetch` if there is no response
   * @throws {SessionError} `network` if there is no response within 20 s, `invalid_answer` if a success has no token
   */
  login(fields: LoginFields): Promise<Response>;
  /**
   * Logs in with a code that the application has obtained for its user, and returns the response like `login`. Each code
   * works once, for a minute.
   * @param options.remember false ends the session with the browser; true by default
   */
  loginWithCode(code: string, options?: { readonly remember?: boolean }): Promise<Response>;
  /**
   * Authenticates the logged-in user again after a 401 `insufficient_user_authentication` and stores the new token; then
   * repeat the rejected request. Returns the response like `login`.
   */
  reauthenticate(fields: ReauthenticationFields): Promise<Response>;
  /**
   * Changes the password of the logged-in user and returns the response, including error responses: check `ok`. This
   * session continues in all tabs; all other sessions of the user end.
   * @throws like `login`
   */
  changePassword(fields: PasswordFields): Promise<Response>;
  /**
   * Logs in with the refresh cookie, if the browser has one: call it when the page starts. It sends no request while a
   * token is valid, or if no user was logged in with this browser.
   * @returns whether a user is logged in
   * @throws {SessionError} if this is not known yet: no response or an unexpected one. Retries continue in the background
   */
  resume(): Promise<boolean>;
  /**
   * The browser's `fetch`, with the token. After a 401 or 403 it refreshes and repeats the request once; if that refresh
   * fails at its first attempt, it returns the error response. Relative URLs are relative to `baseUrl`. Requests to other
   * origins, and those with their own `Authorization`, carry no token and are not repeated.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /**
   * Ends the session on the server, here and in the other tabs.
   * @throws {SessionError} if the server has not confirmed it. The token is dropped in all tabs; the logout survives a
   *   reload and is retried until the server confirms it or a user logs in. Until then there is no refresh
   */
  logout(): Promise<void>;
  /** Forgets the token and removes all listeners. The session on the server continues. */
  close(): void;
}
