// When the element begins, and whether a submission may come before it is ready.
import type { ChallengeStatus } from '../challenge/challenge-state.js';
import { displayOf, startOf } from './attributes.js';
import type { FormUse } from './form/form-binding.js';

export interface Readiness {
  /** Whether a submission that comes too early is delayed, in place of disabled buttons. */
  readonly holdsSubmit: boolean;
  /** Whether the element begins, or goes on, when the form is used in this way. */
  beginsOn(use: FormUse): boolean;
  /** Call it after each change. */
  update(status: ChallengeStatus): Pick<Readiness, 'holdsSubmit'>;
  /** Call it when the element begins anew. */
  reset(): void;
}

export function createReadiness(element: Element): Readiness {
  let isStarted = false;
  /** Once it was ready, work expires unnoticed: a person who comes back must not find the buttons disabled. */
  let wasReady = false;
  const readiness: Readiness = {
    get holdsSubmit() {
      const isUsual = displayOf(element) === 'inline' && startOf(element) === 'load';
      return !isUsual || wasReady || element.hasAttribute('hold-submit');
    },
    beginsOn(use) {
      const start = startOf(element);
      if (isStarted || start === 'load' || use === 'submission') return true;
      return start === 'focus' && use === 'focus';
    },
    update(status) {
      if (status !== 'idle') isStarted = true;
      if (status === 'ready') wasReady = true;
      return readiness;
    },
    reset() {
      isStarted = false;
      wasReady = false;
    },
  };
  return readiness;
}
