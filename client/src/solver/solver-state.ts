// How the work is done in this browser, and a warning when it is slower than it could be.

export type SolverPath = 'simd' | 'wasm' | 'js';

/** How the work is done now. */
export interface SolverState {
  /** WebAssembly with SIMD, WebAssembly without, or JavaScript. */
  readonly path: SolverPath;
  /** Workers that take part; 0 means that the main thread works, in chunks. */
  readonly workers: number;
  /**
   * Slower than it could be: no SIMD, no WebAssembly, no worker, or fewer workers than were started, because some
   * failed or did not answer within 5 seconds.
   */
  readonly degraded: boolean;
}

let hasWarned = false;

/** Warns in the console once per page, however many solvers it has; never outside a page, which has no such workers. */
export function warnIfDegraded({ path, workers, degraded }: SolverState): void {
  if (!degraded || hasWarned || typeof document === 'undefined') return;
  hasWarned = true;
  const reasons: string[] = [];
  if (workers === 0) {
    reasons.push(
      "no worker (does the page's policy allow worker-src 'self'? is the worker's file missing or slow?)",
    );
  }
  if (path === 'js') reasons.push("no WebAssembly (does the worker's policy allow 'wasm-unsafe-eval'?)");
  if (path === 'wasm') reasons.push('WebAssembly without SIMD');
  if (reasons.length === 0) reasons.push('fewer workers than were started');
  console.warn(`Tollgate: proof of work is slower here than it could be: ${reasons.join('; ')}.`);
}
