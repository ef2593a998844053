// Solver messages for developers: reasons for slow work, and invalid tasks.
import type { SolverState } from './solver-state.js';

/** Warns in the console. */
export function warnDegraded({ path, workers }: SolverState): void {
  const reasons: string[] = [];
  if (workers === 0) {
    reasons.push(
      "no worker (the page's policy must allow worker-src 'self', and 'trusted-types tollgate' if it requires Trusted Types; the worker file must be present and load in time)",
    );
  }
  if (path === 'js') reasons.push("no WebAssembly (the worker's policy must allow 'wasm-unsafe-eval')");
  if (path === 'interpreted') reasons.push('no WebAssembly modules made at run time');
  if (path === 'wasm') reasons.push('WebAssembly without SIMD');
  if (reasons.length === 0) reasons.push('fewer workers than were started');
  console.warn(`Tollgate: proof of work is slower here than it could be: ${reasons.join('; ')}.`);
}

/** @returns the error for an invalid limit or task */
export function searchMistake(isLimit: boolean, task: { readonly difficulty: number }): RangeError {
  if (!isLimit) return new RangeError('maxHashes or chunkSize is too small.');
  const { difficulty } = task;
  const isDifficulty = Number.isInteger(difficulty) && difficulty >= 1 && difficulty <= 32;
  return new RangeError(
    isDifficulty ? 'The head must be 32 to 34 ASCII characters.' : 'The difficulty must be 1 to 32 bits.',
  );
}
