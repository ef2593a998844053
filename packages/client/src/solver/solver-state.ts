// Solver state: how this browser solves the work.

/** How SHA-256 is computed: in WebAssembly with SIMD, in WebAssembly without, or in JavaScript. */
export type KernelPath = 'simd' | 'wasm' | 'js';

/** How hashes are computed. HashWX: each function as a separate WebAssembly module, or interpreted by one module. */
export type SolverPath = KernelPath | 'compiled' | 'interpreted';

/** Current solver state. */
export interface SolverState {
  readonly path: SolverPath;
  /** Active workers; 0: the main thread works in chunks. */
  readonly workers: number;
  /**
   * Slower than possible: no SIMD, no WebAssembly, no modules made at run time, no worker, or fewer workers than were
   * started, because some failed or did not respond within 5 seconds.
   */
  readonly degraded: boolean;
}
