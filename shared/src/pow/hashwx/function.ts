// HashWX on the static WebAssembly module: creates a function from a seed, and hashes single nonces with it.

import { hashwxModule } from './hashwx-module.js';

/** The used part of WebAssembly's interface; browsers and Node have all of it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};
declare const atob: (base64: string) => string;

/** The exports of hashwx.wat. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  make(): void;
  hash(nonce: bigint): bigint;
}

/** Hashes one nonce. An instance has one function at a time. */
export interface Hashwx {
  /**
   * Creates the function of a seed, and hashes a nonce with it.
   * @param seed 32 bytes
   * @param nonce 0 to 2^64 - 1
   * @returns 0 to 2^64 - 1
   */
  hash(seed: Uint8Array, nonce: bigint): bigint;
}

/** @throws ReferenceError or another error without WebAssembly, as in Node with `--jitless` */
export function openHashwx(): Hashwx {
  const bytes = Uint8Array.from(atob(hashwxModule), (byte) => byte.charCodeAt(0));
  const { memory, make, hash } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Exports;
  const seedBytes = new Uint8Array(memory.buffer, 0, 32);
  return {
    hash(seed, nonce) {
      seedBytes.set(seed);
      make();
      return BigInt.asUintN(64, hash(nonce));
    },
  };
}

/** Hashes at the start, which take some milliseconds: as many as the engine needs to optimise the code. */
const WARM_HASHES = 300;

let opened: Hashwx | undefined;

/**
 * Returns the instance of this process, ready to hash at full speed soon after the first call.
 * @throws as `openHashwx` does
 */
export function warmHashwx(): Hashwx {
  if (opened === undefined) {
    opened = openHashwx();
    for (let i = 0; i < WARM_HASHES; i++) opened.hash(new Uint8Array(32).fill(i), BigInt(i));
  }
  return opened;
}
