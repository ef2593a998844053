// A refresh call: one attempt and its repeats, all of whose callers get one result (decisions 3.8).

import type { SessionError } from './errors.js';

export interface RefreshCall {
  /** Whether there is a token now; rejects when that cannot be known yet. */
  readonly result: Promise<boolean>;
  /** Resolves when the first attempt has been answered, whatever that was. */
  readonly firstAnswer: Promise<unknown>;
  readonly settle: (isSignedIn: boolean) => void;
  readonly fail: (error: SessionError) => void;
  /** The attempt came to nothing, and a repeat is waited for. */
  readonly pause: () => void;
  repeats: number;
  /** What the last attempt came to, while a repeat is waited for. */
  lastError: SessionError | undefined;
}

export function beginRefreshCall(): RefreshCall {
  let settle: RefreshCall['settle'] = () => {};
  let fail: RefreshCall['fail'] = () => {};
  let pause: RefreshCall['pause'] = () => {};
  const result = new Promise<boolean>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  const paused = new Promise<void>((resolve) => {
    pause = resolve;
  });
  // Nobody may be waiting for the result, as when the schedule made the call.
  const ended = result.catch(() => {});
  const firstAnswer = Promise.race([ended, paused]);
  return { result, firstAnswer, settle, fail, pause, repeats: 0, lastError: undefined };
}
