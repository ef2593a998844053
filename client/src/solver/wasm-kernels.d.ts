// The WebAssembly modules, which client/build.js assembles; base64.
//
// Each exports `memory` and `search(shift, from, to)`, which does what `searchTails` in js-kernel.d.ts says with the
// table and the tails in its memory. `from` and `to` are multiples of 4 for `simdModule`.

/** Four guesses at once, in the lanes of 128-bit vectors. */
export const simdModule: string;
/** One guess at a time, for browsers without vectors. */
export const scalarModule: string;
