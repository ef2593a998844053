// What a hash kernel is.
import type { KernelPath } from './solver-state.js';

/**
 * - `simd`, `simdMul`: WebAssembly with four lanes; the second multiplies where the first shifts to the left
 * - `wasm`: WebAssembly without SIMD
 * - `js`, `jsLoop`: JavaScript with all rounds in a row, or in a loop
 */
export type KernelName = 'simd' | 'simdMul' | 'wasm' | 'js' | 'jsLoop';

/** Hashes the suffixes of one prefix at a time. */
export interface Kernel {
  readonly name: KernelName;
  readonly path: KernelPath;
  /** @param prefix 52 ASCII characters */
  prepare(prefix: string): void;
  /**
   * Tries the suffixes of the prepared prefix from `from` up to `to`, both multiples of `suffixStep`.
   * @param difficulty leading zero bits, 1 to 32
   * @returns the first suffix whose digest has them, or -1
   */
  search(difficulty: number, from: number, to: number): number;
  /**
   * Tells how long a slice of a search took. @param hashes of this slice
   * @returns whether the next slice runs at another speed
   */
  onSlice?(hashes: number, ms: number): boolean;
}

/** Kernels try suffixes in multiples of this number: the SIMD kernels hash four at once. */
export const suffixStep = 4;
