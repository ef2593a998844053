// Makes functions: compiles a module for each, or interprets them with the static module if the engine rejects modules
// made at run time.
import { emitFunction } from './emit-function.js';
import { functionSeed } from './function-seed.js';
import { hashwxModule } from './hashwx-module.js';

/**
 * Hashes `count` nonces from `nonce`.
 * @returns the offset of the first nonce whose hash is below the threshold, or -1
 */
export type Scan = (nonce: bigint, count: number, threshold: bigint) => number;

export interface MadeFunction {
  readonly scan: Scan;
  /** False if the static module interprets the function: then its last scan must end before the next function is made. */
  readonly isCompiled: boolean;
}

export interface FunctionMaker {
  /** @param salt 64 hexadecimal digits */
  make(salt: string, part: number, block: number): Promise<MadeFunction>;
}

interface StaticExports {
  readonly memory: WebAssembly.Memory;
  readonly make: () => void;
  readonly scan: Scan;
}

/** Instantiates a module. */
export type Instantiate = (
  bytes: Uint8Array<ArrayBuffer>,
  imports: WebAssembly.Imports,
) => Promise<WebAssembly.WebAssemblyInstantiatedSource>;

/** Memory offsets of the static module. */
const programsAt = 512;
const programsBytes = 1024;
const hashMemoryAt = 2048;

/**
 * @param instantiate instantiates the modules made at run time
 * @throws the browser's error if it lacks WebAssembly or the page's policy forbids it
 */
export async function openFunctionMaker(
  instantiate: Instantiate = (bytes, imports) => WebAssembly.instantiate(bytes, imports),
): Promise<FunctionMaker> {
  const bytes = Uint8Array.from(atob(hashwxModule), (byte) => byte.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, make, scan } = instance.exports as unknown as StaticExports;
  const seedBytes = new Uint8Array(memory.buffer, 0, 32);
  const inputKey = new BigUint64Array(memory.buffer, 16, 2);
  const programs = new Uint8Array(memory.buffer, programsAt, programsBytes);
  // A separate memory would cost each module gigabytes of address space.
  const imports = { m: { m: memory } };
  let isRefused = false;

  return {
    async make(salt, part, block) {
      seedBytes.set(functionSeed(salt, part, block));
      make();
      if (isRefused) return { scan, isCompiled: false };
      const [k0 = 0n, k1 = 0n] = inputKey;
      const module = emitFunction({ programs, inputKey: [k0, k1] }, { memoryOffset: hashMemoryAt });
      try {
        const compiled = await instantiate(module, imports);
        return { scan: compiled.instance.exports.s as unknown as Scan, isCompiled: true };
      } catch {
        // The engine rejects modules made at run time, or has no memory for another one.
        isRefused = true;
        return { scan, isCompiled: false };
      }
    },
  };
}
