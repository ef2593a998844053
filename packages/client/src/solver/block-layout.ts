// Layout of the SHA-256 block hashed by the kernels, and of the memory read by the WebAssembly kernels.
//
// Every message is 55 bytes long, the most that fits into one block: a prefix of 52 characters that a thousand
// guesses share (the head and the first digits of the nonce), then a suffix of three digits. The suffix lies in word
// 13 of the block, next to the padding's 0x80; words 14 and 15 hold the length. The rounds before word 13, and the
// parts of the message schedule that depend on the other words alone, are computed once per prefix.

export const prefixLength = 52;
/** Suffixes per prefix: 000 to 999. */
export const suffixCount = 1000;
/** Block word with the suffix. */
export const suffixWord = 13;
/** Message length in bits. */
export const messageBits = 55 * 8;
/** Upper half of the message length, always zero. */
const zeroWord = 14;

const firstPrimes: number[] = [];
for (let n = 2; firstPrimes.length < 64; n++) {
  if (firstPrimes.every((prime) => n % prime !== 0)) firstPrimes.push(n);
}
/** Returns the first 32 bits of the fractional part (FIPS 180-4, 4.2.2 and 5.3.3). */
const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0;
export const roundConstants = Int32Array.from(firstPrimes, (prime) => fraction(Math.cbrt(prime)));
export const initialState = Int32Array.from(firstPrimes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** Returns the four earlier words from which word `t` is computed (FIPS 180-4, 6.2.2, step 1). @param t 16 to 63 */
export const sourcesOf = (t: number) => [t - 2, t - 7, t - 15, t - 16] as const;

/** Whether each of the 64 schedule words depends on the suffix. */
export const dependsOnSuffix: readonly boolean[] = Array.from({ length: 64 }, () => false);
for (let t = suffixWord; t < 64; t++) {
  (dependsOnSuffix as boolean[])[t] =
    t === suffixWord || (t > 15 && sourcesOf(t).some((source) => dependsOnSuffix[source]));
}

/**
 * Entries of the kernel table, in order. The table is computed once per prefix.
 *
 * - `a` to `g`: the state after round 13 as if word 13 were zero; the kernel adds the suffix word to `a` and `e`
 * - `sumT`: a word that does not depend on the suffix, plus its round constant; in rounds 14 to 16 also plus the
 *   state's `h`, which does not depend on the suffix yet
 * - `partT`: the part of a word that does not depend on the suffix, where the rest of the word does
 */
export const tableEntries: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].concat(
  Array.from({ length: 64 }, (_, t) => t).flatMap((t) => {
    if (t <= suffixWord) return [];
    if (!dependsOnSuffix[t]) return [`sum${t}`];
    return sourcesOf(t).some((source) => !dependsOnSuffix[source] && source !== zeroWord) ? [`part${t}`] : [];
  }),
);

/** Byte offset of the table in the memory (one page) of a WebAssembly kernel. */
export const tableOffset = 0;
/** Byte offset of the round constants for suffix-dependent words; the module writes them itself. */
export const constantsOffset = 256;
/** Byte offset of word 13 for each suffix. */
export const suffixesOffset = 512;
/** Byte offset of the powers of two below 2^32 for the SIMD kernel. */
export const powersOffset = 4608;
