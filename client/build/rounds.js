// Rounds 14 to 63 of SHA-256 for one guess, as statements in whatever language is being written.
import {
  initialState,
  roundConstants,
  slots,
  sourcesOf,
  tailWord,
  varies,
} from '../dist/src/solver/block-layout.js';

/**
 * A language that the rounds are written in; every member returns text.
 * @typedef {object} Language
 * @property {(...terms: string[]) => string} add
 * @property {(...terms: string[]) => string} xor
 * @property {(x: string, y: string) => string} and
 * @property {(x: string, bits: number) => string} rotate to the right
 * @property {(x: string, bits: number) => string} shift to the right
 * @property {(e: string, f: string, g: string) => string} choose bit by bit: f where e is 1, else g
 * @property {(index: number) => string} slot the word of the stem's table at this index
 * @property {(t: number) => string} constant of round t, out of `constants`
 * @property {boolean} [nests] whether one rotation made of another is quicker than each of its own
 * @property {(name: string) => string} get a variable
 * @property {(name: string, value: string) => string} set a variable; a statement
 */

/** The constants of the rounds; the last has what the digest's first word begins with added to it. */
export const constants = roundConstants.with(63, roundConstants[63] + initialState[0]);

/** The variables of one guess. `x`, the word of the tail, is set by the caller. */
export const variables = [
  ...'abcdefgh',
  ...['x', 't', 'u', 'v', 'ab', 'bc'],
  ...Array.from({ length: 16 }, (_, i) => `w${i}`),
];

/**
 * @param {Language} language
 * @returns {string[][]} the statements of each round; at last the first word of the digest is in `a`
 */
export function writeRounds(language) {
  const rounds = [loadState(language)];
  for (let t = tailWord + 1; t < 64; t++) {
    rounds.push([...scheduleStep(language, t), ...round(language, t)]);
  }
  // 50 rounds turn the letters by two.
  return [...rounds, [language.set('a', language.get(lettersOf(64)[0]))]];
}

/** The state after round 13: the tail's word goes into both halves of the round. */
function loadState({ add, xor, get, set, slot }) {
  const fromTable = (name) => slot(slots.indexOf(name));
  const tail = get('x');
  return [
    set('a', add(fromTable('a'), tail)),
    ...[...'bcd'].map((name) => set(name, fromTable(name))),
    set('e', add(fromTable('e'), tail)),
    ...[...'fg'].map((name) => set(name, fromTable(name))),
    set(wordName(tailWord), tail),
    set('bc', xor(get('b'), get('c'))),
  ];
}

/** Which variable is a, b, … h in round t: the letters turn, so that no value is moved. */
function lettersOf(t) {
  return Array.from({ length: 8 }, (_, i) => 'abcdefgh'[(i + 8 * 8 - (t - tailWord - 1)) % 8]);
}

const wordName = (t) => `w${t % 16}`;

/**
 * `x` turned right by each of `bits`, exclusive-ored. Nested as in Horner's rule it is as many operations, but fewer
 * copies of x for a machine whose rotation overwrites its operand, and more of them wait for each other.
 * @param {string} name a variable to use on the way
 * @returns {{ before: string[], value: string }}
 */
function turns({ xor, rotate, nests, get, set }, x, bits, name) {
  if (!nests) return { before: [], value: xor(...bits.map((count) => rotate(x, count))) };
  const before = [];
  let inner = x;
  for (let i = bits.length - 1; i > 0; i--) {
    before.push(set(name, xor(x, rotate(inner, bits[i] - bits[i - 1]))));
    inner = get(name);
  }
  return { before, value: rotate(inner, bits[0]) };
}

/** Word t, unless it is the same for all tails: what varies of it, and the rest from the table. */
function scheduleStep(language, t) {
  if (!varies[t]) return [];
  const { add, xor, shift, slot, get, set } = language;
  const [s2, s7, s15, s16] = sourcesOf(t);
  const word = (source) => get(wordName(source));
  const small0 = turns(language, word(s15), [7, 18], 'u');
  const small1 = turns(language, word(s2), [17, 19], 'v');
  const part = slots.indexOf(`part${t}`);
  const before = [];
  const terms = [];
  if (varies[s16]) terms.push(word(s16));
  if (part >= 0) terms.push(slot(part));
  if (varies[s7]) terms.push(word(s7));
  if (varies[s15]) {
    before.push(...small0.before);
    terms.push(xor(small0.value, shift(word(s15), 3)));
  }
  if (varies[s2]) {
    before.push(...small1.before);
    terms.push(xor(small1.value, shift(word(s2), 10)));
  }
  return [...before, set(wordName(t), add(...terms))];
}

/**
 * Round t (FIPS 180-4, 6.2.2, step 3).
 *
 * Maj(a, b, c) is b ^ ((a ^ b) & (b ^ c)), and this round's a ^ b is the next one's b ^ c. The last round makes no e.
 */
function round(language, t) {
  const { add, xor, and, choose, slot, constant, get, set } = language;
  const names = lettersOf(t);
  const [a, b, , d, e, f, g, h] = names.map(get);
  const [ab, bc] = t % 2 === 0 ? ['ab', 'bc'] : ['bc', 'ab'];
  const big1 = turns(language, e, [6, 11, 25], 'u');
  const big0 = turns(language, a, [2, 13, 22], 'v');
  // In the first three rounds h is the same for all tails and is in the sum already.
  const added = t > tailWord + 3 ? [h] : [];
  if (varies[t]) added.push(get(wordName(t)), constant(t));
  else added.push(slot(slots.indexOf(`sum${t}`)));
  return [
    ...big1.before,
    set('t', add(...added, choose(e, f, g), big1.value)),
    ...(t === 63 ? [] : [set(names[3], add(d, get('t')))]),
    set(ab, xor(a, b)),
    ...big0.before,
    set(names[7], add(xor(b, and(get(ab), get(bc))), big0.value, get('t'))),
  ];
}
