// What is known before anything is asked for.

import type { ChallengeState } from './challenge-state.js';

/** The state without a controller: in an element that has none yet, in a component that is not mounted, on a server. */
export const idleState: ChallengeState = Object.freeze({
  status: 'idle',
  work: null,
  solver: null,
  captchaRequired: false,
  captcha: null,
  alternatives: [],
  error: null,
  retryAtMs: null,
});
