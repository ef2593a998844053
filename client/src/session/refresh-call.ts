// A refresh call: one attempt and its retries. All callers share its result.

import type { SessionError } from './errors.js';

export interface RefreshCall {
  /** Whether somebody is signed in now; rejects if that cannot be known yet. */
  readonly result: Promise<boolean>;
  /** Resolves after the first attempt, whatever its outcome. */
  readonly firstAttempt: Promise<unknown>;
  readonly resolve: (isSignedIn: boolean) => void;
  readonly reject: (error: SessionError) => void;
  /** Marks the first attempt as failed; the call waits for a retry. */
  readonly pause: () => void;
  retries: number;
  /** The failure of the last attempt, while the call waits for a retry. */
  lastError: SessionError | undefined;
}

export function createRefreshCall(): RefreshCall {
  let resolve!: RefreshCall['resolve'];
  let reject!: RefreshCall['reject'];
  let pause!: RefreshCall['pause'];
  const result = new Promise<boolean>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  const paused = new Promise<void>((onPause) => {
    pause = onPause;
  });
  // A scheduled refresh has no caller, so its rejection must not be reported as unhandled.
  const ended = result.catch(() => {});
  const firstAttempt = Promise.race([ended, paused]);
  return { result, firstAttempt, resolve, reject, pause, retries: 0, lastError: undefined };
}
