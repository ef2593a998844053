// The registry of algorithms: their names and exchange rates (docs/decisions/hashwx.md).

import type { Algorithm, Terms } from './algorithm.js';
import { hashwx } from './hashwx/algorithm.js';
import { sha256 } from './sha256/algorithm.js';

/** The algorithm for clients that request none. */
export const SHA256 = sha256.name;

const KNOWN: readonly Algorithm[] = [sha256, hashwx];

/** The names of all algorithms. New ones go to the end: scope tickets number them in this order. */
export const ALGORITHMS: readonly string[] = KNOWN.map(({ name }) => name);

/** Every algorithm by its name. */
export const algorithmsByName: ReadonlyMap<string, Algorithm> = new Map(
  KNOWN.map((algorithm) => [algorithm.name, algorithm]),
);

/** An accepted algorithm with its exchange rate. */
export interface AcceptedAlgorithm {
  readonly algorithm: Algorithm;
  readonly exchange: number;
}

const DEFAULT: AcceptedAlgorithm = { algorithm: sha256, exchange: sha256.exchange };

/** The accepted algorithms; SHA-256 is always the first. */
export type AcceptedAlgorithms = readonly [AcceptedAlgorithm, ...AcceptedAlgorithm[]];

/** Reads the option `pow.algorithms`: names joined by commas, some with an exchange rate after an equals sign. */
export function acceptedAlgorithms(option: string): AcceptedAlgorithms {
  const accepted: [AcceptedAlgorithm, ...AcceptedAlgorithm[]] = [DEFAULT];
  for (const entry of option.split(',')) {
    const [name = '', exchange] = entry.split('=');
    const algorithm = algorithmsByName.get(name);
    if (algorithm !== undefined && !isAcceptedAlgorithm(accepted, name)) {
      accepted.push({ algorithm, exchange: Number(exchange ?? algorithm.exchange) });
    }
  }
  return accepted;
}

/**
 * Reads the option `pow.algorithms`, and prepares the process to verify them.
 * @throws the error of an algorithm that cannot run, so that the start fails and not the first submission
 */
export function openAlgorithms(option: string): AcceptedAlgorithms {
  const accepted = acceptedAlgorithms(option);
  for (const { algorithm } of accepted) algorithm.open?.();
  return accepted;
}

/** Length of the longest list in a query, in characters. */
const MAX_QUERY_CHARACTERS = 256;

/** Returns whether the algorithm of this name is accepted. */
export function isAcceptedAlgorithm(accepted: AcceptedAlgorithms, name: unknown): boolean {
  return accepted.some(({ algorithm }) => algorithm.name === name);
}

/**
 * Returns the algorithm of new work: the first accepted one of the client's list, or SHA-256. Algorithms that the form
 * requires take precedence.
 * @param asked names joined by commas, the preferred one first; anything else counts as empty
 * @param demanded names that the form accepts; null for all
 */
export function chooseAlgorithm(
  accepted: AcceptedAlgorithms,
  asked: unknown,
  demanded: readonly string[] | null = null,
): AcceptedAlgorithm {
  const [usual] = accepted;
  if (accepted.length === 1 || typeof asked !== 'string' || asked.length > MAX_QUERY_CHARACTERS) return usual;
  const names = asked.split(',').filter((name) => isAcceptedAlgorithm(accepted, name));
  const chosen = names.find((name) => demanded?.includes(name)) ?? names[0];
  return accepted.find(({ algorithm }) => algorithm.name === chosen) ?? usual;
}

/** Returns the algorithm of a record that names none: a single one has terms. */
export function algorithmOfTerms(terms: Terms | undefined): Algorithm {
  return terms === undefined ? sha256 : hashwx;
}
