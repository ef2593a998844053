// How the work is done in this browser.

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
