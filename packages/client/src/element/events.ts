// The events of the element about its challenges.
import type { ChallengeState, WorkProgress } from '../challenge/challenge-state.js';
import { type ErrorCode, errorCodeOf } from './error-codes.js';
import { loadWarnings } from './load-warnings.js';

/** The detail of `tollgate-progress`. */
export interface ProgressDetail {
  /** The share of the work that is done, from 0 to 1, on average. */
  readonly share: number;
  readonly hashes: number;
}

/** The detail of `tollgate-error`. */
export interface ErrorDetail {
  readonly code: ErrorCode;
  /** The code of the service's answer; null if there was none. */
  readonly serviceCode: string | null;
  readonly error: Error;
}

/** The events that only this element has; all bubble. */
export interface TollgateEventMap {
  /** The element is set up. */
  'tollgate-ready': CustomEvent<null>;
  'tollgate-progress': CustomEvent<ProgressDetail>;
  'tollgate-error': CustomEvent<ErrorDetail>;
  /** Everything that the next submission needs is in the form. */
  'tollgate-verified': CustomEvent<null>;
}

export interface EventDispatcher {
  /** @param isComplete whether everything that the next submission needs is in the form */
  update(state: ChallengeState, isComplete: boolean): void;
}

/** Dispatches events when the state has changed. */
export function createEventDispatcher(element: Element): EventDispatcher {
  let wasReady = false;
  let wasComplete = false;
  let lastError: Error | null = null;
  let lastProgress: WorkProgress | null = null;

  function dispatch<Name extends keyof TollgateEventMap>(
    name: Name,
    detail: TollgateEventMap[Name]['detail'],
  ): boolean {
    const cancelable = name === 'tollgate-error';
    return element.dispatchEvent(new CustomEvent(name, { bubbles: true, cancelable, detail }));
  }

  return {
    update(state, isComplete) {
      if (!wasReady) dispatch('tollgate-ready', null);
      wasReady = true;
      const progress = state.captcha?.kind === 'effort' ? state.captcha.progress : state.work;
      if (progress !== null && progress !== lastProgress && state.status === 'solving') {
        dispatch('tollgate-progress', { share: shareOf(state), hashes: progress.hashes });
      }
      lastProgress = progress;
      const error = state.status === 'error' ? state.error : null;
      if (error !== null && error !== lastError) {
        const { code: serviceCode = null } = error as { code?: string | null };
        const code = errorCodeOf(error);
        const isUnhandled = dispatch('tollgate-error', { code, serviceCode, error });
        if (code === 'wrong_setup' && isUnhandled) loadWarnings(({ warnOfSetup }) => warnOfSetup(error));
      }
      lastError = error;
      if (isComplete && !wasComplete) dispatch('tollgate-verified', null);
      wasComplete = isComplete;
    },
  };
}

function shareOf({ captcha, work }: ChallengeState): number {
  if (captcha?.kind !== 'effort') return work?.chance ?? 0;
  return Math.min((captcha.part + captcha.progress.chance) / captcha.parts, 1);
}
