// Challenge events of the element.
import type { ChallengeState, WorkProgress } from '../challenge/challenge-state.js';
import { type ErrorCode, errorCodeOf } from './error-codes.js';
import { loadWarnings } from './load-warnings.js';

/** Detail of `tollgate-progress`. */
export interface ProgressDetail {
  /** Average share of the work done, from 0 to 1. */
  readonly share: number;
  readonly hashes: number;
}

/** Detail of `tollgate-error`. */
export interface ErrorDetail {
  readonly code: ErrorCode;
  /** Code of the error response; null without one. */
  readonly serviceCode: string | null;
  readonly error: Error;
}

/** Events specific to this element; all bubble. */
export interface TollgateEventMap {
  /** The element is set up. */
  'tollgate-ready': CustomEvent<null>;
  'tollgate-progress': CustomEvent<ProgressDetail>;
  'tollgate-error': CustomEvent<ErrorDetail>;
  /** All fields of the next submission are in the form. */
  'tollgate-verified': CustomEvent<null>;
}

interface EventDispatcher {
  /** @param isComplete whether all fields of the next submission are in the form */
  update(state: ChallengeState, isComplete: boolean): void;
}

/** Dispatches events after a state change. */
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
