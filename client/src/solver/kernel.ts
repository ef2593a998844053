// Opens the fastest hash kernel that the browser and the page's content security policy allow.
import { suffixCount, suffixesOffset, tableEntries, tableOffset } from './block-layout.js';
import { searchSuffixes } from './js-kernel.js';
import { computeMidstate, suffixWords } from './midstate.js';
import type { KernelPath } from './solver-state.js';
import { scalarModule, simdModule } from './wasm-kernels.js';

/** Hashes the suffixes of one prefix at a time. */
export interface Kernel {
  readonly path: KernelPath;
  /** @param prefix 52 ASCII characters */
  prepare(prefix: string): void;
  /**
   * Tries the suffixes of the prepared prefix from `from` up to `to`, both multiples of `suffixStep`.
   * @param difficulty leading zero bits, 1 to 32
   * @returns the first suffix whose digest has them, or -1
   */
  search(difficulty: number, from: number, to: number): number;
}

/** Kernels try suffixes in multiples of this number: the SIMD kernel hashes four at once. */
export const suffixStep = 4;

interface WasmExports {
  readonly memory: WebAssembly.Memory;
  readonly search: (shift: number, from: number, to: number) => number;
}

const openers: Readonly<Record<KernelPath, () => Kernel | Promise<Kernel>>> = {
  simd: () => openWasmKernel('simd', simdModule),
  wasm: () => openWasmKernel('wasm', scalarModule),
  js: openJsKernel,
};
export const allPaths: readonly KernelPath[] = ['simd', 'wasm', 'js'];

/** @param paths in order of preference; JavaScript works everywhere */
export async function openKernel(paths: readonly KernelPath[] = allPaths): Promise<Kernel> {
  for (const path of paths) {
    try {
      return await openers[path]();
    } catch {
      // The browser lacks the instructions, or the policy forbids WebAssembly.
    }
  }
  return openJsKernel();
}

function openJsKernel(): Kernel {
  const table = new Int32Array(tableEntries.length);
  return {
    path: 'js',
    prepare: (prefix) => computeMidstate(prefix, table),
    search: (difficulty, from, to) => searchSuffixes(table, suffixWords, 32 - difficulty, from, to),
  };
}

async function openWasmKernel(path: KernelPath, base64: string): Promise<Kernel> {
  const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, search } = instance.exports as unknown as WasmExports;
  const table = new Int32Array(memory.buffer, tableOffset, tableEntries.length);
  new Int32Array(memory.buffer, suffixesOffset, suffixCount).set(suffixWords);
  return {
    path,
    prepare: (prefix) => computeMidstate(prefix, table),
    search: (difficulty, from, to) => search(32 - difficulty, from, to),
  };
}
