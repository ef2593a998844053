// Proof of work: algorithms, difficulty, and the price of an attempt.

export { acceptedAlgorithms, chooseAlgorithm, HASHWX_EXCHANGE, SHA256 } from './pow/algorithms.js';
export { solves } from './pow/difficulty.js';
export { EFFORT_PARTS, effortBits, totalBits } from './pow/effort.js';
export { openHashwx, warmHashwx } from './pow/hashwx/function.js';
export {
  HASHWX,
  HASHWX_PARTS,
  type HashwxTerms,
  hashwxPartBits,
  hashwxPartHashes,
  solvesHashwx,
} from './pow/hashwx/work.js';
export {
  FALL_MS,
  FULL_LOAD,
  LOAD_RULE,
  type LoadRule,
  levelAt,
  levelBits,
  NO_LOAD,
  nextLoadState,
  type QueueLoad,
} from './pow/load.js';
export { priceOf } from './pow/price.js';
