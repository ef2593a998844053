// Proof of work: algorithms, difficulty, and the price of an attempt.

export type { Algorithm, Terms } from './pow/algorithm.js';
export { acceptedAlgorithms, chooseAlgorithm, openAlgorithms, SHA256 } from './pow/algorithms.js';
export { solves } from './pow/difficulty.js';
export { EFFORT_PARTS, effortBits, totalBits } from './pow/effort.js';
export { HASHWX_EXCHANGE } from './pow/hashwx/algorithm.js';
export { openHashwx, warmHashwx } from './pow/hashwx/function.js';
export {
  HASHWX,
  HASHWX_PARTS,
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
export { sha256Text } from './pow/sha256/algorithm.js';
