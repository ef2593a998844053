// Writes the kernel in JavaScript.
import { slots } from '../dist/src/solver/block-layout.js';
import { constants, variables, writeRounds } from './rounds.js';

/** @type {import('./rounds.js').Language} */
const javascript = {
  add: (...terms) => `(${terms.join(' + ')} | 0)`,
  xor: (...terms) => `(${terms.join(' ^ ')})`,
  and: (x, y) => `(${x} & ${y})`,
  rotate: (x, bits) => `((${x} >>> ${bits}) | (${x} << ${32 - bits}))`,
  shift: (x, bits) => `(${x} >>> ${bits})`,
  // Measured in Chromium: 5 % more hashes. WebAssembly has none of it, scalar or not.
  nests: true,
  choose: (e, f, g) => `(${g} ^ (${e} & (${f} ^ ${g})))`,
  slot: (index) => `s${index}`,
  constant: (t) => String(constants[t]),
  get: (name) => name,
  set: (name, value) => `${name} = ${value};`,
};

/** @returns {string} the text of a module; what it exports is declared in src/solver/js-kernel.d.ts */
export function writeJsKernel() {
  const fromTable = slots.map((_, index) => `s${index} = table[${index}]`);
  return `// Made by client/build.js.
export function searchTails(table, tailWords, shift, from, to) {
  const ${fromTable.join(', ')};
  for (let tail = from; tail < to; tail++) {
    let ${variables.map((name) => `${name} = 0`).join(', ')};
    x = tailWords[tail];
    ${writeRounds(javascript).flat().join('\n    ')}
    if (a >>> shift === 0) return tail;
  }
  return -1;
}
`;
}
