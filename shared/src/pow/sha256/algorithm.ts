// Work in SHA-256, behind the interface of all algorithms.

import { hash } from 'node:crypto';
import type { Algorithm } from '../algorithm.js';
import { type Digest, isNonce, solves } from '../difficulty.js';
import { EFFORT_PARTS, parseEffortAnswer, partDifficulty, solvesEffort } from '../effort.js';

/** SHA-256 of a text, one character for each byte. */
export const sha256Text: Digest = (text) => hash('sha256', text, 'binary');

export const sha256: Algorithm = {
  name: 'sha256',
  saltBytes: 16,
  exchange: 1,
  effortFields: (bits) => ({ parts: EFFORT_PARTS, part_difficulty: partDifficulty(bits) }),
  isSolution: isNonce,
  solves: ({ salt, bits }, text) => isNonce(text) && solves(sha256Text, salt, text, bits),
  solvesEffort({ salt, bits }, text) {
    const nonces = parseEffortAnswer(text);
    return nonces !== null && solvesEffort(sha256Text, salt, nonces, partDifficulty(bits));
  },
};
