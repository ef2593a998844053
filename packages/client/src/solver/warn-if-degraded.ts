// Tells developers once when the work is slower than it could be.
import type { SolverState } from './solver-state.js';

let hasWarned = false;

/** Texts that few pages need. */
export const loadTexts = () => import('./solver-texts.js');

/**
 * Warns in the console once per page, however many solvers it has; never outside a page, which has no such workers.
 * @param state after a search
 */
export function warnIfDegraded(state: SolverState): void {
  if (!state.degraded || hasWarned || typeof document === 'undefined') return;
  hasWarned = true;
  loadTexts().then(
    ({ warnDegraded }) => warnDegraded(state),
    () => undefined,
  );
}
