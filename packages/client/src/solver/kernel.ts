// Hash kernel interface.
import type { KernelPath } from './solver-state.js';

/**
 * - `simd`, `simdMul`: WebAssembly with four lanes; the second replaces left shifts with multiplications
 * - `wasm`: WebAssembly without SIMD
 * - `js`, `jsLoop`: JavaScript with unrolled rounds, or with a loop
 */
export type KernelName = 'simd' | 'simdMul' | 'wasm' | 'js' | 'jsLoop';

/** Hashes the suffixes of one prefix. */
export interface Kernel {
  readonly name: KernelName;
  readonly path: KernelPath;
  /** @param prefix 52 ASCII characters */
  prepare(prefix: string): void;
  /**
   * Tries the suffixes of the prepared prefix from `from` up to `to`, both multiples of `suffixStep`.
   * @param difficulty leading zero bits, 1 to 32
   * @returns the first suffix whose digest has these bits, or -1
   */
  search(difficulty: number, from: number, to: number): number;
  /**
   * Reports the duration of a search slice. @param hashes hashes in this slice
   * @returns whether the speed of the next slice differs
   */
  onSlice?(hashes: number, ms: number): boolean;
}

/** Kernels try suffixes in multiples of this number: the SIMD kernels hash four at once. */
export const suffixStep = 4;
