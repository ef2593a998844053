// Tells developers in the console why the work is slower than it could be.
import type { SolverState } from './solver-state.js';

/** Warns in the console. */
export function warnDegraded({ path, workers }: SolverState): void {
  const reasons: string[] = [];
  if (workers === 0) {
    reasons.push(
      "no worker (does the page's policy allow worker-src 'self', and 'trusted-types tollgate' if it requires Trusted Types? is the worker's file missing or slow?)",
    );
  }
  if (path === 'js') reasons.push("no WebAssembly (does the worker's policy allow 'wasm-unsafe-eval'?)");
  if (path === 'wasm') reasons.push('WebAssembly without SIMD');
  if (reasons.length === 0) reasons.push('fewer workers than were started');
  console.warn(
    `Tollgate: proof of work is slower here than it could be: ${reasons.join('; ')} (troubleshooting.md#it-is-slow).`,
  );
}
