// How the work is done in this browser.

/** How SHA-256 is computed: in WebAssembly with SIMD, in WebAssembly without, or in JavaScript. */
export type KernelPath = 'simd' | 'wasm' | 'js';

/** How hashes are computed. HashWX: each function as a WebAssembly module of its own, or interpreted by one module. */
export type SolverPath = KernelPath | 'compiled' | 'interpreted';

/** How the work is done now. */
export interface SolverState {
  readonly path: SolverPath;
  /** Workers that take part; 0 means that the main thread works, in chunks. */
  readonly workers: number;
  /**
   * Slower than it could be: no SIMD, no WebAssembly, no modules made at run time, no worker, or fewer workers than were started, because some
   * failed or did not answer within 5 seconds.
   */
  readonly degraded: boolean;
}
