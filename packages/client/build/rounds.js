// Generates rounds 14 to 63 of SHA-256 for one guess, as statements in JavaScript or WebAssembly.
import {
  dependsOnSuffix,
  initialState,
  roundConstants,
  sourcesOf,
  suffixWord,
  tableEntries,
} from '../dist/src/solver/block-layout.js';

/**
 * A target language; every function returns source text.
 * @typedef {object} Language
 * @property {(...terms: string[]) => string} add
 * @property {(...terms: string[]) => string} xor
 * @property {(x: string, y: string) => string} and
 * @property {(x: string, bits: number) => string} rotate to the right
 * @property {(x: string, bits: number) => string} shift to the right
 * @property {(e: string, f: string, g: string) => string} choose bitwise: f where e is 1, else g
 * @property {(index: number) => string} entry the table word at this index
 * @property {(t: number) => string} constant the constant of round t, from `constants`
 * @property {boolean} [nestsRotations] whether nested rotations are faster than separate ones
 * @property {(name: string) => string} get a variable
 * @property {(name: string, value: string) => string} a statement that sets a variable
 */

/** Round constants; the last one includes the initial value of the digest's first word. */
export const constants = roundConstants.with(63, roundConstants[63] + initialState[0]);

/** Variables of one guess. The caller sets `x`, the suffix word. */
export const variables = [
  ...'abcdefgh',
  ...['x', 't', 'u', 'v', 'ab', 'bc'],
  ...Array.from({ length: 16 }, (_, i) => `w${i}`),
];

/**
 * @param {Language} language
 * @returns {string[][]} the statements of each round; after the last, `a` holds the first word of the digest
 */
export function writeRounds(language) {
  const rounds = [loadState(language)];
  for (let t = suffixWord + 1; t < 64; t++) {
    rounds.push([...scheduleStep(language, t), ...round(language, t)]);
  }
  // After 50 rounds the letters are rotated by two.
  return [...rounds, [language.set('a', language.get(lettersOf(64)[0]))]];
}

/** Loads the state after round 13; the suffix word is added to `a` and `e`. */
function loadState({ add, xor, get, set, entry }) {
  const fromTable = (name) => entry(tableEntries.indexOf(name));
  const suffix = get('x');
  return [
    set('a', add(fromTable('a'), suffix)),
    ...[...'bcd'].map((name) => set(name, fromTable(name))),
    set('e', add(fromTable('e'), suffix)),
    ...[...'fg'].map((name) => set(name, fromTable(name))),
    set(wordName(suffixWord), suffix),
    set('bc', xor(get('b'), get('c'))),
  ];
}

/** Returns the variables a, b, … h of round t. The names rotate, so that no value moves. */
function lettersOf(t) {
  return Array.from({ length: 8 }, (_, i) => 'abcdefgh'[(i + 8 * 8 - (t - suffixWord - 1)) % 8]);
}

const wordName = (t) => `w${t % 16}`;

/**
 * XORs the right rotations of `x` by each of `bits`. Nested as in Horner's rule, this takes as many operations, but fewer
 * copies of `x` where a rotation overwrites its operand; in return more operations depend on each other.
 * @param {string} name a variable for intermediate results
 * @returns {{ before: string[], value: string }}
 */
function xorRotations({ xor, rotate, nestsRotations, get, set }, x, bits, name) {
  if (!nestsRotations) return { before: [], value: xor(...bits.map((count) => rotate(x, count))) };
  const before = [];
  let inner = x;
  for (let i = bits.length - 1; i > 0; i--) {
    before.push(set(name, xor(x, rotate(inner, bits[i] - bits[i - 1]))));
    inner = get(name);
  }
  return { before, value: rotate(inner, bits[0]) };
}

/** Computes word t if it depends on the suffix; its constant part comes from the table. */
function scheduleStep(language, t) {
  if (!dependsOnSuffix[t]) return [];
  const { add, xor, shift, entry, get, set } = language;
  const [s2, s7, s15, s16] = sourcesOf(t);
  const word = (source) => get(wordName(source));
  const small0 = xorRotations(language, word(s15), [7, 18], 'u');
  const small1 = xorRotations(language, word(s2), [17, 19], 'v');
  const part = tableEntries.indexOf(`part${t}`);
  const before = [];
  const terms = [];
  if (dependsOnSuffix[s16]) terms.push(word(s16));
  if (part >= 0) terms.push(entry(part));
  if (dependsOnSuffix[s7]) terms.push(word(s7));
  if (dependsOnSuffix[s15]) {
    before.push(...small0.before);
    terms.push(xor(small0.value, shift(word(s15), 3)));
  }
  if (dependsOnSuffix[s2]) {
    before.push(...small1.before);
    terms.push(xor(small1.value, shift(word(s2), 10)));
  }
  return [...before, set(wordName(t), add(...terms))];
}

/**
 * Round t (FIPS 180-4, 6.2.2, step 3).
 *
 * Maj(a, b, c) is b ^ ((a ^ b) & (b ^ c)), and this round's a ^ b is the next one's b ^ c. The last round needs no e.
 */
function round(language, t) {
  const { add, xor, and, choose, entry, constant, get, set } = language;
  const names = lettersOf(t);
  const [a, b, , d, e, f, g, h] = names.map(get);
  const [ab, bc] = t % 2 === 0 ? ['ab', 'bc'] : ['bc', 'ab'];
  const big1 = xorRotations(language, e, [6, 11, 25], 'u');
  const big0 = xorRotations(language, a, [2, 13, 22], 'v');
  // In the first three rounds h does not depend on the suffix, and the sum in the table includes it.
  const added = t > suffixWord + 3 ? [h] : [];
  if (dependsOnSuffix[t]) added.push(get(wordName(t)), constant(t));
  else added.push(entry(tableEntries.indexOf(`sum${t}`)));
  return [
    ...big1.before,
    set('t', add(...added, choose(e, f, g), big1.value)),
    ...(t === 63 ? [] : [set(names[3], add(d, get('t')))]),
    set(ab, xor(a, b)),
    ...big0.before,
    set(names[7], add(xor(b, and(get(ab), get(bc))), big0.value, get('t'))),
  ];
}
