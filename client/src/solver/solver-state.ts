// What is searched for, and how.

export type SolverPath = 'simd' | 'wasm' | 'js';

/** How work is done now. */
export interface SolverState {
  /** WebAssembly with SIMD, WebAssembly without, or JavaScript. */
  readonly path: SolverPath;
  /** Workers that take part; 0 is the main thread, in chunks. */
  readonly workers: number;
  /**
   * Slower than this package can be: no SIMD, no WebAssembly, no worker, or fewer than were started, because some have
   * failed or not come for 5 seconds.
   */
  readonly degraded: boolean;
}

export interface SearchTask {
  /** 32 to 34 ASCII characters in front of the nonce */
  readonly head: string;
  /** leading zero bits, 1 to 32 */
  readonly difficulty: number;
}
