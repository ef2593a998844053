// Computes the midstate: the part of the block hash that does not depend on the last three nonce digits.
import {
  dependsOnSuffix,
  initialState,
  messageBits,
  prefixLength,
  roundConstants,
  suffixCount,
  suffixWord,
  tableEntries,
} from './block-layout.js';

/** Word 13 of the block for each suffix: three digits and the first byte of the padding. */
export const suffixWords = Int32Array.from({ length: suffixCount }, (_, suffix) => {
  const digit = (place: number) => 0x30 + (Math.floor(suffix / place) % 10);
  return (digit(100) << 24) | (digit(10) << 16) | (digit(1) << 8) | 0x80;
});

const lastTableWord = Math.max(...tableEntries.map((name) => Number(/\d+$/.exec(name)?.[0] ?? 0)));
/** Index of word t in the table, or -1. */
const entryOfWord = Array.from({ length: 64 }, (_, t) =>
  tableEntries.findIndex((name) => name.endsWith(`${t}`)),
);
const schedule = new Int32Array(64);
const state = new Int32Array(8);

/**
 * Fills the kernel table.
 * @param prefix 52 ASCII characters
 * @param table one word per entry of `tableEntries`
 */
export function computeMidstate(prefix: string, table: Int32Array): void {
  loadPrefix(prefix, schedule, state);
  for (let i = 0; i < 7; i++) table[i] = state[i]!;

  for (let t = suffixWord + 1; t <= lastTableWord; t++) {
    if (t > 15) schedule[t] = nextWord(t);
    const entry = entryOfWord[t]!;
    if (dependsOnSuffix[t]) {
      if (entry >= 0) table[entry] = schedule[t]!;
      // Zero, so that this word adds nothing to the constant part of a later one.
      schedule[t] = 0;
    } else {
      // The h of rounds 14, 15 and 16 is the h, g and f of the state after round 13.
      const h = t <= 16 ? state[21 - t]! : 0;
      table[entry] = schedule[t]! + roundConstants[t]! + h;
    }
  }
}

/**
 * Writes the block of a prefix and the state after round 13, both with zero in place of the suffix word.
 * @param prefix 52 ASCII characters
 * @param words receives the 16 words of the block; those after it become zero
 * @param state receives the 8 words of the state
 */
export function loadPrefix(prefix: string, words: Int32Array, state: Int32Array): void {
  words.fill(0);
  for (let i = 0; i < prefixLength; i++) words[i >> 2]! |= prefix.charCodeAt(i) << (24 - 8 * (i & 3));
  words[15] = messageBits;
  runFirstRounds(words, state);
}

function nextWord(t: number): number {
  const x = schedule[t - 15]!;
  const y = schedule[t - 2]!;
  const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
  const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
  return (schedule[t - 16]! + small0 + schedule[t - 7]! + small1) | 0;
}

/** Computes the state after round 13 (FIPS 180-4, 6.2.2, step 3), with zero in place of the suffix word. */
function runFirstRounds(words: Int32Array, state: Int32Array): void {
  let a = initialState[0]!;
  let b = initialState[1]!;
  let c = initialState[2]!;
  let d = initialState[3]!;
  let e = initialState[4]!;
  let f = initialState[5]!;
  let g = initialState[6]!;
  let h = initialState[7]!;
  for (let t = 0; t <= suffixWord; t++) {
    const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + big1 + ((e & f) ^ (~e & g)) + roundConstants[t]! + words[t]!) | 0;
    const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
  state[4] = e;
  state[5] = f;
  state[6] = g;
  state[7] = h;
}
