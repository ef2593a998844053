// Start of the element, and whether it delays early submissions.
import type { ChallengeStatus } from '../challenge/challenge-state.js';
import { displayOf, startOf } from './attributes.js';
import type { FormUse } from './form/form-binding.js';

interface Readiness {
  /** Whether to delay early submissions in place of disabling the buttons. */
  readonly holdsSubmit: boolean;
  /** Whether this use of the form starts the element or keeps it active. */
  beginsOn(use: FormUse): boolean;
  /** Call it after each change. */
  update(status: ChallengeStatus): Pick<Readiness, 'holdsSubmit'>;
  /** Call it when the element restarts. */
  reset(): void;
}

export function createReadiness(element: Element): Readiness {
  let isStarted = false;
  /** Once it was ready, work may expire unnoticed: a returning person must not find the buttons disabled. */
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
