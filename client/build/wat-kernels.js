// Writes the kernels in WebAssembly's text format: the same rounds over integers, and over vectors of four.
import { constantsOffset, tableOffset, tailsOffset } from '../dist/src/solver/wasm-memory.js';
import { constants, variables, writeRounds } from './rounds.js';

/** One operator between all terms. */
const chain =
  (operator) =>
  (...terms) =>
    terms.reduce((x, y) => `(${operator} ${x} ${y})`);
const local = {
  get: (name) => `(local.get $${name})`,
  set: (name, value) => `(local.set $${name} ${value})`,
};
const start = '(i32.const 0)';

/** @type {import('./rounds.js').Language} */
const integers = {
  ...local,
  add: chain('i32.add'),
  xor: chain('i32.xor'),
  and: chain('i32.and'),
  rotate: (x, bits) => `(i32.rotr ${x} (i32.const ${bits}))`,
  shift: (x, bits) => `(i32.shr_u ${x} (i32.const ${bits}))`,
  choose: (e, f, g) => `(i32.xor ${g} (i32.and ${e} (i32.xor ${f} ${g})))`,
  slot: (index) => `(i32.load offset=${tableOffset + 4 * index} ${start})`,
  constant: (t) => `(i32.const ${constants[t]})`,
};

const broadcast = (offset) => `(v128.load32_splat offset=${offset} ${start})`;
const shiftLeft = (x, bits) => `(i32x4.shl ${x} (i32.const ${bits}))`;
const shiftRight = (x, bits) => `(i32x4.shr_u ${x} (i32.const ${bits}))`;

/** @type {import('./rounds.js').Language} */
const vectors = {
  ...local,
  add: chain('i32x4.add'),
  xor: chain('v128.xor'),
  and: chain('v128.and'),
  rotate: (x, bits) => `(v128.xor ${shiftRight(x, bits)} ${shiftLeft(x, 32 - bits)})`,
  shift: shiftRight,
  choose: (e, f, g) => `(v128.bitselect ${f} ${g} ${e})`,
  slot: (index) => broadcast(tableOffset + 4 * index),
  // From memory: V8 puts a vector in the code together from two integers each time.
  constant: (t) => broadcast(constantsOffset + 4 * t),
};

/** @returns {string} one guess at a time */
export function writeScalarModule() {
  return writeModule({
    language: integers,
    type: 'i32',
    step: 1,
    test: `(if (i32.eqz (i32.shr_u (local.get $a) (local.get $shift))) (then (return (local.get $tail))))`,
  });
}

/** @returns {string} four guesses at a time; all four are looked at together, and which one it is only at the end */
export function writeSimdModule() {
  return writeModule({
    language: vectors,
    type: 'v128',
    step: 4,
    test: `(local.set $a (i32x4.shr_u (local.get $a) (local.get $shift)))
      (if (i32.eqz (i32x4.all_true (local.get $a))) (then (return (i32.add (local.get $tail)
        (i32.ctz (i32x4.bitmask (i32x4.eq (local.get $a) (v128.const i32x4 0 0 0 0))))))))`,
  });
}

/** @param test returns the tail when the first word of the digest has nothing but zeros above `shift` bits */
function writeModule({ language, type, step, test }) {
  return `(module
  (memory (export "memory") 1)
  (data (i32.const ${constantsOffset}) "${bytesOf(constants)}")
  (func (export "search") (param $shift i32) (param $tail i32) (param $to i32) (result i32)
    ${variables.map((name) => `(local $${name} ${type})`).join(' ')}
    (loop $next
      (local.set $x (${type}.load offset=${tailsOffset} (i32.shl (local.get $tail) (i32.const 2))))
      ${writeRounds(language).flat().join('\n      ')}
      ${test}
      (local.set $tail (i32.add (local.get $tail) (i32.const ${step})))
      (br_if $next (i32.lt_u (local.get $tail) (local.get $to))))
    (i32.const -1)))
`;
}

/** Little-endian, as a text of escapes. */
function bytesOf(words) {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) view.setInt32(4 * index, word, true);
  return [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}
