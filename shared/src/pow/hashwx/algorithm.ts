// Work in HashWX, behind the interface of all algorithms. Its terms are the exchange and the nonces per function.

import { hash } from 'node:crypto';
import type { Algorithm, RecordedWork, Terms } from '../algorithm.js';
import { warmHashwx } from './function.js';
import {
  type BytesDigest,
  HASHWX,
  HASHWX_PARTS,
  hashwxPartBits,
  hashwxPartHashes,
  isHashwxSolution,
  solvesHashwx,
} from './work.js';

/**
 * SHA-256 hashes that cost an attacker's core as much time as one hash of HashWX. Source: `npm run bench -- attack` on one core
 * of an AMD EPYC (Zen 4), whose fastest solvers do 66.0 million hashes of SHA-256 a second (AVX-512, 16 at a time) and 2.36
 * million of HashWX (machine code for each function, eight at a time in its first half): 27.9 (docs/decisions/hashwx.md).
 */
export const HASHWX_EXCHANGE = 28;

const MOST_NONCES_PER_FUNCTION = 65_536;

/** SHA-256 of bytes. */
const sha256Bytes: BytesDigest = (bytes) => hash('sha256', bytes, 'buffer');

function fields(bits: number, [exchange = 0, noncesPerFunction = 0]: Terms) {
  return {
    parts: HASHWX_PARTS,
    part_hashes: hashwxPartHashes(bits, exchange),
    nonces_per_function: noncesPerFunction,
  };
}

function solves({ bits, salt, terms }: RecordedWork, text: string): boolean {
  const [exchange, noncesPerFunction] = terms ?? [];
  if (exchange === undefined || noncesPerFunction === undefined) return false;
  const task = { seed: salt, partDifficulty: hashwxPartHashes(bits, exchange), noncesPerFunction };
  return solvesHashwx(warmHashwx(), sha256Bytes, task, text);
}

export const hashwx: Algorithm = {
  name: HASHWX,
  saltBytes: 32,
  exchange: HASHWX_EXCHANGE,
  newTerms: (exchange, noncesPerFunction) => [exchange, noncesPerFunction],
  areTerms: ([exchange = 0, noncesPerFunction = 0]) =>
    exchange >= 1 && noncesPerFunction >= 1 && noncesPerFunction <= MOST_NONCES_PER_FUNCTION,
  fields,
  effortFields: (bits, terms = []) => ({ ...fields(bits, terms), part_difficulty: hashwxPartBits(bits) }),
  isSolution: isHashwxSolution,
  solves,
  solvesEffort: solves,
  // The first hashes would take ten times as long.
  open: () => void warmHashwx(),
};
