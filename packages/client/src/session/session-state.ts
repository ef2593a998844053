// Session state for the page: an immutable snapshot without the token.

import { createListeners, type Listeners } from '../listeners.js';

/**
 * `unknown`: the server has not been asked yet or has not responded, or another user may have logged in.
 * `refreshing`: logged in; a token refresh is in progress.
 */
export type SessionStatus = 'unknown' | 'signed-out' | 'refreshing' | 'signed-in';

export interface SessionState {
  readonly status: SessionStatus;
  /** Expiry time of the access token, milliseconds since 1970; null without a token. */
  readonly expiresAtMs: number | null;
  /**
   * Reason for the end of the session: the `code` of the response, `logged_out`, or `logout_pending` while the server has
   * not confirmed a logout; null if no user was logged in. While `unknown`, the reason of the last failed attempt: the
   * `code` of the response, `http_` and the status if it had none, `invalid_answer` or `network`; null before any attempt.
   */
  readonly reason: string | null;
}

/** Initial state, and the state on a server. */
export const unknownState: SessionState = Object.freeze({
  status: 'unknown',
  expiresAtMs: null,
  reason: null,
});

export interface ObservableState {
  readonly state: SessionState;
  readonly onChange: Listeners<[]>;
  /** Notifies the listeners only after a change. */
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
