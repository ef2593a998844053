// Solves a proof of work, as a browser does before a log-in.

import { digestOf } from '@tollgate/shared/challenges/algorithms.js';
import { solves } from '@tollgate/shared/pow/difficulty.js';

/** Hardest work there is (decisions 2.1); harder is not Tollgate's. */
const MOST_BITS = 24;

/** The nonce, or undefined for what is no work that can be done. */
export function solveWork(work: Readonly<Record<string, unknown>>): string | undefined {
  const { salt, difficulty, algorithm } = work;
  if (typeof salt !== 'string' || typeof difficulty !== 'number' || typeof algorithm !== 'string')
    return undefined;
  const digest = digestOf(algorithm);
  if (digest === undefined || difficulty > MOST_BITS) return undefined;
  let nonce = 0;
  while (!solves(digest, salt, String(nonce), difficulty)) nonce++;
  return String(nonce);
}
