// Which part of a SHA-256 block still has to be computed when nothing but the last three digits changes.
//
// Every message is 55 bytes long, the most that fits into one block: 52 characters that stay the same for a
// thousand guesses (the stem: head and first digits of the nonce), then three digits (the tail). The tail lies in
// word 13 of the block, beside the padding's 0x80; words 14 and 15 are the length. The rounds before word 13 and
// whatever the message schedule makes of the other words alone are computed once for a stem.

/** Characters in front of the tail. */
export const stemLength = 52;
/** Tails of a stem: 000 to 999. */
export const tailCount = 1000;
/** The word of the block that the tail lies in. */
export const tailWord = 13;
/** Bits in a message. */
export const messageBits = 55 * 8;
/** The word of the length's upper half, which is always zero. */
const zeroWord = 14;

const firstPrimes: number[] = [];
for (let n = 2; firstPrimes.length < 64; n++) {
  if (firstPrimes.every((prime) => n % prime !== 0)) firstPrimes.push(n);
}
/** The first 32 bits of the fractional part (FIPS 180-4, 4.2.2 and 5.3.3). */
const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0;
export const roundConstants = Int32Array.from(firstPrimes, (prime) => fraction(Math.cbrt(prime)));
export const initialState = Int32Array.from(firstPrimes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** The four earlier words that word `t` is made of (FIPS 180-4, 6.2.2, step 1). @param t 16 to 63 */
export const sourcesOf = (t: number) => [t - 2, t - 7, t - 15, t - 16] as const;

/** For each of the 64 words of the schedule, whether it changes with the tail. */
export const varies: readonly boolean[] = Array.from({ length: 64 }, () => false);
for (let t = tailWord; t < 64; t++) {
  (varies as boolean[])[t] = t === tailWord || (t > 15 && sourcesOf(t).some((source) => varies[source]));
}

/**
 * What is computed once for a stem, in the order of the table that the kernels read.
 *
 * - `a` to `g`: the state after round 13 as if word 13 were zero; the tail is then added to `a` and `e`
 * - `sumT`: a word that does not change, with its round constant; with the state's `h` where that is still
 *   the same for all tails (rounds 14 to 16)
 * - `partT`: the unchanging part of a word that does change
 */
export const slots: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].concat(
  Array.from({ length: 64 }, (_, t) => t).flatMap((t) => {
    if (t <= tailWord) return [];
    if (!varies[t]) return [`sum${t}`];
    return sourcesOf(t).some((source) => !varies[source] && source !== zeroWord) ? [`part${t}`] : [];
  }),
);
