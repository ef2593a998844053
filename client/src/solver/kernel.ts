// The fastest way to hash that this browser and the page's policy allow.
import { slots, tailCount } from './block-layout.js';
import { searchTails } from './js-kernel.js';
import { prepareStem, tailWords } from './midstate.js';
import type { SolverPath } from './solver-state.js';
import { scalarModule, simdModule } from './wasm-kernels.js';
import { tableOffset, tailsOffset } from './wasm-memory.js';

/** Hashes one stem at a time. */
export interface Kernel {
  readonly path: SolverPath;
  /** @param stem 52 ASCII characters */
  prepare(stem: string): void;
  /**
   * Tries the tails of the prepared stem from `from` up to `to`, both multiples of `tailStep`.
   * @param difficulty leading zero bits, 1 to 32
   * @returns the first that has them, or -1
   */
  search(difficulty: number, from: number, to: number): number;
}

/** Tails are tried in multiples of this many: what the widest kernel takes at once. */
export const tailStep = 4;

interface WasmExports {
  readonly memory: WebAssembly.Memory;
  readonly search: (shift: number, from: number, to: number) => number;
}

const openers: Readonly<Record<SolverPath, () => Kernel | Promise<Kernel>>> = {
  simd: () => openWasmKernel('simd', simdModule),
  wasm: () => openWasmKernel('wasm', scalarModule),
  js: openJsKernel,
};
export const allPaths: readonly SolverPath[] = ['simd', 'wasm', 'js'];

/** @param paths in order of preference; JavaScript works everywhere */
export async function openKernel(paths: readonly SolverPath[] = allPaths): Promise<Kernel> {
  for (const path of paths) {
    try {
      return await openers[path]();
    } catch {
      // The browser does not know the instructions, or the policy does not allow WebAssembly.
    }
  }
  return openJsKernel();
}

function openJsKernel(): Kernel {
  const table = new Int32Array(slots.length);
  return {
    path: 'js',
    prepare: (stem) => prepareStem(stem, table),
    search: (difficulty, from, to) => searchTails(table, tailWords, 32 - difficulty, from, to),
  };
}

async function openWasmKernel(path: SolverPath, base64: string): Promise<Kernel> {
  const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, search } = instance.exports as unknown as WasmExports;
  const table = new Int32Array(memory.buffer, tableOffset, slots.length);
  new Int32Array(memory.buffer, tailsOffset, tailCount).set(tailWords);
  return {
    path,
    prepare: (stem) => prepareStem(stem, table),
    search: (difficulty, from, to) => search(32 - difficulty, from, to),
  };
}
