// Computes, once for a thousand guesses, all that does not change with their last three digits.
import {
  initialState,
  messageBits,
  roundConstants,
  slots,
  stemLength,
  tailCount,
  tailWord,
  varies,
} from './block-layout.js';

/** Word 13 of the block for each tail: its three digits and the padding's first byte. */
export const tailWords = Int32Array.from({ length: tailCount }, (_, tail) => {
  const digit = (place: number) => 0x30 + (Math.floor(tail / place) % 10);
  return (digit(100) << 24) | (digit(10) << 16) | (digit(1) << 8) | 0x80;
});

const lastKnownWord = Math.max(...slots.map((name) => Number(/\d+$/.exec(name)?.[0] ?? 0)));
/** Where in the table goes what is known of word t, or -1. */
const slotOfWord = Array.from({ length: 64 }, (_, t) => slots.findIndex((name) => name.endsWith(`${t}`)));
const schedule = new Int32Array(64);
const state = new Int32Array(8);

/**
 * Fills the table that a kernel reads.
 * @param stem 52 ASCII characters
 * @param table as many words as there are `slots`
 */
export function prepareStem(stem: string, table: Int32Array): void {
  schedule.fill(0);
  for (let i = 0; i < stemLength; i++) schedule[i >> 2]! |= stem.charCodeAt(i) << (24 - 8 * (i & 3));
  schedule[15] = messageBits;
  runFirstRounds();
  for (let i = 0; i < 7; i++) table[i] = state[i]!;

  for (let t = tailWord + 1; t <= lastKnownWord; t++) {
    if (t > 15) schedule[t] = nextWord(t);
    const slot = slotOfWord[t]!;
    if (varies[t]) {
      if (slot >= 0) table[slot] = schedule[t]!;
      // A changing word counts as zero here, so that it adds nothing to the unchanging part of a later one.
      schedule[t] = 0;
    } else {
      // What is h in rounds 14, 15 and 16 is h, g and f now.
      const h = t <= 16 ? state[21 - t]! : 0;
      table[slot] = schedule[t]! + roundConstants[t]! + h;
    }
  }
}

function nextWord(t: number): number {
  const x = schedule[t - 15]!;
  const y = schedule[t - 2]!;
  const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
  const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
  return (schedule[t - 16]! + small0 + schedule[t - 7]! + small1) | 0;
}

/** The state after round 13 (FIPS 180-4, 6.2.2, step 3), with zero for the tail's word. */
function runFirstRounds(): void {
  let a = initialState[0]!;
  let b = initialState[1]!;
  let c = initialState[2]!;
  let d = initialState[3]!;
  let e = initialState[4]!;
  let f = initialState[5]!;
  let g = initialState[6]!;
  let h = initialState[7]!;
  for (let t = 0; t <= tailWord; t++) {
    const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + big1 + ((e & f) ^ (~e & g)) + roundConstants[t]! + schedule[t]!) | 0;
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
