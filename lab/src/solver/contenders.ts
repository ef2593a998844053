// The contenders: each hashes a salt and a counting nonce with the interface of its package.
import initCap, { solve_pow } from '@cap.js/wasm/browser/cap_wasm.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { solveChallenge } from 'altcha-lib/v1';
import { createSHA256 } from 'hash-wasm';
import { sha256 as jsSha256 } from 'js-sha256';
import type { KernelName } from '#client/solver/kernel.js';
import { openKernel } from '#client/solver/kernels/open-kernel.js';
import { openNonceRange } from '#client/solver/nonce-range.js';

/** Hashes for a few milliseconds. @returns the number of hashes */
type Burst = () => number | Promise<number>;

const salt = '0123456789abcdef0123456789abcdef';
const encoder = new TextEncoder();

/** Opens each contender, in a worker. All use SHA-256. Libraries get their message as bytes, incremented in place. */
export const contenders: Readonly<Record<string, () => Burst | Promise<Burst>>> = {
  'tollgate simd': () => openOwn('simd'),
  'tollgate simdMul': () => openOwn('simdMul'),
  'tollgate wasm': () => openOwn('wasm'),
  'tollgate js': () => openOwn('js'),
  'tollgate jsLoop': () => openOwn('jsLoop'),
  '@cap.js/wasm': openCap,
  'hash-wasm': openHashWasm,
  '@noble/hashes': () => countUp((message) => nobleSha256(message)),
  'js-sha256': () => countUp((message) => jsSha256.array(message)),
  'altcha-lib': openAltcha,
};

async function openOwn(name: KernelName): Promise<Burst> {
  const kernel = await openKernel(name);
  const range = openNonceRange(kernel, { head: salt, difficulty: 32 }, 0);
  return () => {
    const before = range.hashes;
    range.search(5_000);
    return range.hashes - before;
  };
}

/** Its solver counts from 0 until the solution, so it gets one salt after the other. */
async function openCap(): Promise<Burst> {
  await initCap();
  let salts = 0;
  return () => Number(solve_pow(`${salt}${salts++}`, '000')) + 1;
}

async function openHashWasm(): Promise<Burst> {
  const hasher = await createSHA256();
  return countUp((message) => hasher.init().update(message).digest('binary'));
}

/** Uses `crypto.subtle`, with one promise for each hash. */
function openAltcha(): Burst {
  const guesses = 100;
  return async () => {
    await solveChallenge('none', salt, 'SHA-256', guesses - 1).promise;
    return guesses;
  };
}

function countUp(digestOf: (message: Uint8Array) => ArrayLike<number>): Burst {
  const guesses = 1_000;
  const message = encoder.encode(`${salt}1000000000000000`);
  return () => {
    for (let guess = 0; guess < guesses; guess++) {
      let place = message.length - 1;
      while (message[place] === 0x39) message[place--] = 0x30;
      message[place]!++;
      const digest = digestOf(message);
      if (digest[0] === 0 && digest[1] === 0 && digest[2] === 0 && digest[3] === 0) break;
    }
    return guesses;
  };
}
