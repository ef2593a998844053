// Password hashes: argon2id is made; argon2id, scrypt and bcrypt are recognised (decisions 3.6).

import { ARGON2ID_COST, argon2id, isStrongArgon2id, makeArgon2id } from './argon2id-hash.js';
import { bcrypt, bcryptReadsAll } from './bcrypt-hash.js';
import type { HashKind } from './hash-algorithm.js';
import { scrypt } from './scrypt-hash.js';

const KINDS: Readonly<Record<string, HashKind>> = {
  argon2id,
  scrypt,
  ...{ '2a': bcrypt, '2b': bcrypt, '2y': bcrypt },
};

/** The cost of the hashes that are made today. */
export const TODAYS_COST = ARGON2ID_COST;

/** Hashes a password: argon2id with 19 MiB, two passes and one lane, on a thread of Node's pool. */
export function hashPassword(password: string): Promise<string> {
  return makeArgon2id(password);
}

/**
 * What it takes to verify a hash: its prefix and parameters, equal for hashes that take equal time. Undefined for a
 * text that is no hash of a known kind, is damaged, or demands an absurd amount of memory or time.
 */
export function hashCost(passwordHash: string): string | undefined {
  return kindOf(passwordHash)?.costOf(passwordHash);
}

/** Whether a password is the one behind a hash. A text that has no cost matches no password, and is refused at once. */
export async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  const kind = kindOf(passwordHash);
  if (kind?.costOf(passwordHash) === undefined) return false;
  return kind.verify(passwordHash, password);
}

/** A hash of that cost that belongs to nobody. @throws RangeError when it is no cost that `hashCost` gives */
export function makeDummyHash(cost: string): string {
  const kind = kindOf(cost);
  if (kind === undefined) throw new RangeError('this is the cost of no known hash');
  return kind.makeDummy(cost);
}

/**
 * Whether a hash that accepted the password is to be replaced: it is of another kind, or cheaper than those made
 * today. Bcrypt accepts a long password with a slip of the finger after its 72nd byte, and a new hash would then make
 * the slip the password; so a long one keeps its old hash.
 */
export function needsRehash(passwordHash: string, password: string): boolean {
  if (kindOf(passwordHash) === bcrypt && !bcryptReadsAll(password)) return false;
  return !isStrongArgon2id(passwordHash);
}

function kindOf(text: string): HashKind | undefined {
  const prefix = /^\$([^$]*)\$/.exec(text)?.[1] ?? '';
  return Object.hasOwn(KINDS, prefix) ? KINDS[prefix] : undefined;
}
