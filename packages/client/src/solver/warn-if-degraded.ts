// Warns developers once about slow work.
import type { SolverState } from './solver-state.js';

let hasWarned = false;

/** Loaded on demand: few pages need these texts. */
export const loadTexts = () => import('./solver-texts.js');

/**
 * Warns in the console once per page, for any number of solvers; never outside of a page, which has no such workers.
 * @param state state after a search
 */
export function warnIfDegraded(state: SolverState): void {
  if (!state.degraded || hasWarned || typeof document === 'undefined') return;
  hasWarned = true;
  loadTexts().then(
    ({ warnDegraded }) => warnDegraded(state),
    () => undefined,
  );
}
