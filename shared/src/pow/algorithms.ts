// The algorithms of work, and their exchange rate (docs/decisions/hashwx.md).

import { HASHWX } from './hashwx/work.js';

/** The algorithm for clients that request none. */
export const SHA256 = 'sha256';

/** All algorithms. New ones go to the end: scope tickets number them in this order. */
export const ALGORITHMS: readonly string[] = [SHA256, HASHWX];

/**
 * SHA-256 hashes that cost an attacker's core as much time as one hash of HashWX. Source: `npm run bench -- attack` on one
 * core of an AMD EPYC (Zen 4), whose fastest solvers do 66.0 million hashes of SHA-256 a second (AVX-512, 16 at a time) and
 * 2.36 million of HashWX (machine code for each function, eight at a time in its first half): 27.9
 * (docs/decisions/hashwx.md).
 */
export const HASHWX_EXCHANGE = 28;

/** The accepted algorithms; `hashwx` is its exchange rate, null if it is not accepted. */
export interface AcceptedAlgorithms {
  readonly hashwx: number | null;
}

/** Reads the option `pow.algorithms`: names joined by commas, HashWX with its exchange rate after an equals sign. */
export function acceptedAlgorithms(option: string): AcceptedAlgorithms {
  for (const entry of option.split(',')) {
    const [name, exchange = HASHWX_EXCHANGE] = entry.split('=');
    if (name === HASHWX) return { hashwx: Number(exchange) };
  }
  return { hashwx: null };
}

/** Length of the longest list in a query, in characters. */
const MAX_QUERY_CHARACTERS = 256;

/** Returns whether the algorithm of this name is accepted. */
export function isAcceptedAlgorithm({ hashwx }: AcceptedAlgorithms, name: unknown): boolean {
  return name === SHA256 || (name === HASHWX && hashwx !== null);
}

/**
 * Returns the algorithm of new work: the first accepted one of the client's list, or SHA-256. Algorithms that the form
 * requires take precedence.
 * @param asked names joined by commas, the preferred one first; anything else counts as empty
 * @param demanded names that the form accepts; null for all
 */
export function chooseAlgorithm(
  { hashwx }: AcceptedAlgorithms,
  asked: unknown,
  demanded: readonly string[] | null = null,
): typeof SHA256 | typeof HASHWX {
  if (hashwx === null || typeof asked !== 'string' || asked.length > MAX_QUERY_CHARACTERS) return SHA256;
  const names = asked.split(',').filter((name) => name === HASHWX || name === SHA256);
  const chosen = names.find((name) => demanded?.includes(name)) ?? names[0];
  return chosen === HASHWX ? HASHWX : SHA256;
}
