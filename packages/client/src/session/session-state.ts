// The state of the session as the page sees it: an immutable snapshot without the token.

import { createListeners, type Listeners } from '../listeners.js';

/**
 * `unknown`: it is not known at present whether somebody is signed in, because the server has not been asked yet, or has not
 * answered, or somebody else may have signed in meanwhile.
 * `refreshing`: signed in, and the token is being replaced.
 */
export type SessionStatus = 'unknown' | 'signed-out' | 'refreshing' | 'signed-in';

export interface SessionState {
  readonly status: SessionStatus;
  /** When the access token expires, milliseconds since 1970; null without a token. */
  readonly expiresAtMs: number | null;
  /**
   * Why the session ended: the `code` of the server's answer, `logged_out`, or `logout_pending` while the server has not
   * confirmed a logout; null if nobody was signed in. While `unknown`, why the last attempt failed: the `code` of the
   * answer, `http_` and the status if it had none, `invalid_answer` or `network`; null if none was made.
   */
  readonly reason: string | null;
}

/** The state before the server has been asked, and on a server. */
export const unknownState: SessionState = Object.freeze({
  status: 'unknown',
  expiresAtMs: null,
  reason: null,
});

export interface ObservableState {
  readonly state: SessionState;
  readonly onChange: Listeners<[]>;
  /** Notifies the listeners only if something has changed. */
  update(next: SessionState): void;
}

export function createObservableState(): ObservableState {
  let state = unknownState;
  const onChange = createListeners<[]>();
  return {
    get state() {
      return state;
    },
    onChange,
    update({ status, expiresAtMs, reason }) {
      if (state.status === status && state.expiresAtMs === expiresAtMs && state.reason === reason) return;
      state = Object.freeze({ status, expiresAtMs, reason });
      onChange.notify();
    },
  };
}
