// Opens the fastest hash kernel that the browser and the page's content security policy allow.
import { powersOffset, suffixCount, suffixesOffset, tableEntries, tableOffset } from '../block-layout.js';
import { searchSuffixes } from '../js-kernel.js';
import type { Kernel, KernelName } from '../kernel.js';
import { computeMidstate, suffixWords } from '../midstate.js';
import type { KernelPath } from '../solver-state.js';
import { scalarModule, simdModule } from '../wasm-kernels.js';
import { raceKernels } from './kernel-race.js';
import { openLoopKernel } from './loop-kernel.js';
import { multiplyInsteadOfShifts } from './multiply-instead.js';

interface WasmExports {
  readonly memory: WebAssembly.Memory;
  readonly search: (shift: number, from: number, to: number) => number;
}

const openers: Readonly<Record<KernelName, () => Kernel | Promise<Kernel>>> = {
  simd: () => openWasmKernel('simd', 'simd', decode(simdModule)),
  simdMul: () => openWasmKernel('simdMul', 'simd', multiplyInsteadOfShifts(decode(simdModule))),
  wasm: () => openWasmKernel('wasm', 'wasm', decode(scalarModule)),
  js: openJsKernel,
  jsLoop: openLoopKernel,
};
export const kernelNames = Object.keys(openers) as readonly KernelName[];

/** First kernel of each instruction set, and its rival in the race. */
const rivals: readonly (readonly [KernelName, KernelName?])[] = [
  ['simd', 'simdMul'],
  ['wasm'],
  ['jsLoop', 'js'],
];

/** @throws the browser's error if it lacks the instructions, or if the policy forbids WebAssembly */
export async function openKernel(name: KernelName): Promise<Kernel> {
  return await openers[name]();
}

/** Opens the kernels of the best instruction set; JavaScript works everywhere. */
export async function openFastestKernel(): Promise<Kernel> {
  for (const [name, rival] of rivals) {
    try {
      const kernel = await openKernel(name);
      return rival === undefined ? kernel : raceKernels(kernel, () => openKernel(rival));
    } catch {
      // The browser lacks the instructions, or the policy forbids WebAssembly.
    }
  }
  return openLoopKernel();
}

function openJsKernel(): Kernel {
  const table = new Int32Array(tableEntries.length);
  return {
    name: 'js',
    path: 'js',
    prepare: (prefix) => computeMidstate(prefix, table),
    search: (difficulty, from, to) => searchSuffixes(table, suffixWords, 32 - difficulty, from, to),
  };
}

const decode = (base64: string) => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
const powers = Int32Array.from({ length: 32 }, (_, exponent) => 1 << exponent);

async function openWasmKernel(
  name: KernelName,
  path: KernelPath,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Kernel> {
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, search } = instance.exports as unknown as WasmExports;
  const table = new Int32Array(memory.buffer, tableOffset, tableEntries.length);
  new Int32Array(memory.buffer, suffixesOffset, suffixCount).set(suffixWords);
  new Int32Array(memory.buffer, powersOffset, powers.length).set(powers);
  return {
    name,
    path,
    prepare: (prefix) => computeMidstate(prefix, table),
    search: (difficulty, from, to) => search(32 - difficulty, from, to),
  };
}
