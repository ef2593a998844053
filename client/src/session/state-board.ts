// Where the session's state is read, and who is told when it changes.

import { createListeners, type Listeners } from '../listeners.js';
import type { SessionState } from './session-state.js';

export interface StateBoard {
  readonly state: SessionState;
  readonly changed: Listeners<[]>;
  /** Calls nobody when nothing has changed. */
  show(next: SessionState): void;
}

/** Before anybody has asked; on a server as well. */
export const unknownState: SessionState = Object.freeze({
  status: 'unknown',
  expiresAtMs: null,
  reason: null,
});

export function createStateBoard(): StateBoard {
  let state = unknownState;
  const changed = createListeners<[]>();
  return {
    get state() {
      return state;
    },
    changed,
    show({ status, expiresAtMs, reason }) {
      if (state.status === status && state.expiresAtMs === expiresAtMs && state.reason === reason) return;
      state = Object.freeze({ status, expiresAtMs, reason });
      changed.notify();
    },
  };
}
