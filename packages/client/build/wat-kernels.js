// Generates the kernels in WebAssembly text format: the same rounds on integers and on vectors of four lanes.
import {
  constantsOffset,
  powersOffset,
  suffixesOffset,
  tableOffset,
} from '../dist/src/solver/block-layout.js';
import { constants, variables, writeRounds } from './rounds.js';

/** Joins all terms with one operator. */
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
  entry: (index) => `(i32.load offset=${tableOffset + 4 * index} ${start})`,
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
  entry: (index) => broadcast(tableOffset + 4 * index),
  // Loaded from memory, because V8 assembles a vector constant from two integers on each use.
  constant: (t) => broadcast(constantsOffset + 4 * t),
};

/** Counts of the left shifts; a right rotation consists of a shift in each direction. */
const leftShifts = [2, 6, 7, 11, 13, 17, 18, 19, 22, 25].map((bits) => 32 - bits);

/**
 * Stores the powers of two in locals, so that `multiplyInsteadOfShifts` can replace a constant left shift (`i32.const`,
 * `i32x4.shl`: five bytes) with a multiplication (`local.get`, `i32x4.mul`: five bytes) by changing three bytes.
 */
const powers = {
  locals: Array.from({ length: 32 }, (_, count) => `(local $power${count} v128)`).join(' '),
  load: leftShifts.map((n) => `(local.set $power${n} ${broadcast(powersOffset + 4 * n)})`).join('\n    '),
};

/** @returns {string} a module that tries one guess at a time */
export function writeScalarModule() {
  return writeModule({
    language: integers,
    type: 'i32',
    step: 1,
    test: `(if (i32.eqz (i32.shr_u (local.get $a) (local.get $shift))) (then (return (local.get $suffix))))`,
  });
}

/** @returns {string} a module that tries four guesses at a time: it tests all four together, then looks for the match */
export function writeSimdModule() {
  return writeModule({
    language: vectors,
    locals: powers.locals,
    before: powers.load,
    type: 'v128',
    step: 4,
    test: `(local.set $a (i32x4.shr_u (local.get $a) (local.get $shift)))
      (if (i32.eqz (i32x4.all_true (local.get $a))) (then (return (i32.add (local.get $suffix)
        (i32.ctz (i32x4.bitmask (i32x4.eq (local.get $a) (v128.const i32x4 0 0 0 0))))))))`,
  });
}

/** @param test returns the suffix if the digest's first word has only zeros above its lowest `shift` bits */
function writeModule({ language, type, step, test, locals = '', before = '' }) {
  return `(module
  (memory (export "memory") 1)
  (data (i32.const ${constantsOffset}) "${bytesOf(constants)}")
  (func (export "search") (param $shift i32) (param $suffix i32) (param $to i32) (result i32)
    ${locals} ${variables.map((name) => `(local $${name} ${type})`).join(' ')}
    ${before}
    (loop $next
      (local.set $x (${type}.load offset=${suffixesOffset} (i32.shl (local.get $suffix) (i32.const 2))))
      ${writeRounds(language).flat().join('\n      ')}
      ${test}
      (local.set $suffix (i32.add (local.get $suffix) (i32.const ${step})))
      (br_if $next (i32.lt_u (local.get $suffix) (local.get $to))))
    (i32.const -1)))
`;
}

/** Encodes words as little-endian byte escapes. */
function bytesOf(words) {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) view.setInt32(4 * index, word, true);
  return [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}
