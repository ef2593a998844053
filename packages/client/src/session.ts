// Browser session: login, silent refresh, requests with the token, logout.

import { createSession } from './session/create-session.js';
import { SessionError } from './session/errors.js';

export type { Meaning } from './session/response-meaning.js';
export type {
  Expiry,
  LoginFields,
  PasswordFields,
  ReauthenticationFields,
  Session,
  SessionOptions,
} from './session/session-options.js';
export type { SessionState, SessionStatus } from './session/session-state.js';
export { createSession, SessionError };
