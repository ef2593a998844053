// JavaScript kernel that loops over the rounds. Engines optimise it sooner than the unrolled kernel, which is faster in the
// end: the loop is faster for short searches.
import { initialState, roundConstants, suffixWord } from '../block-layout.js';
import type { Kernel } from '../kernel.js';
import { loadPrefix, suffixWords } from '../midstate.js';

export function openLoopKernel(): Kernel {
  const words = new Int32Array(64);
  const state = new Int32Array(8);
  return {
    name: 'jsLoop',
    path: 'js',
    prepare: (prefix) => loadPrefix(prefix, words, state),
    search: (difficulty, from, to) => searchInLoop(words, state, 32 - difficulty, from, to),
  };
}

/** @returns the first suffix whose digest has only zeros above the lowest `shift` bits of its first word, or -1 */
function searchInLoop(words: Int32Array, state: Int32Array, shift: number, from: number, to: number): number {
  for (let suffix = from; suffix < to; suffix++) {
    const x = suffixWords[suffix]!;
    words[suffixWord] = x;
    for (let t = 16; t < 64; t++) {
      const y = words[t - 15]!;
      const z = words[t - 2]!;
      const small0 = ((y >>> 7) | (y << 25)) ^ ((y >>> 18) | (y << 14)) ^ (y >>> 3);
      const small1 = ((z >>> 17) | (z << 15)) ^ ((z >>> 19) | (z << 13)) ^ (z >>> 10);
      words[t] = (words[t - 16]! + small0 + words[t - 7]! + small1) | 0;
    }
    let a = (state[0]! + x) | 0;
    let b = state[1]!;
    let c = state[2]!;
    let d = state[3]!;
    let e = (state[4]! + x) | 0;
    let f = state[5]!;
    let g = state[6]!;
    let h = state[7]!;
    for (let t = suffixWord + 1; t < 64; t++) {
      const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const first = (h + big1 + (g ^ (e & (f ^ g))) + roundConstants[t]! + words[t]!) | 0;
      const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const second = (big0 + ((a & b) | (c & (a | b)))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    if (((a + initialState[0]!) | 0) >>> shift === 0) return suffix;
  }
  return -1;
}
