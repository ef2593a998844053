// Password hashes: creates argon2id; verifies argon2id, scrypt, bcrypt and PBKDF2 in the spellings of many frameworks.

import { ARGON2ID_COST, argon2id, isStrongArgon2id, makeArgon2id } from './argon2id-hash.js';
import { bcrypt, bcryptReadsAll, bcryptSha256, wordpressBcrypt } from './bcrypt-hash.js';
import { firebaseScrypt } from './firebase-scrypt-hash.js';
import { canonicalHash } from './foreign-hash.js';
import type { HashAlgorithm } from './hash-algorithm.js';
import { pbkdf2 } from './pbkdf2-hash.js';
import { scrypt } from './scrypt-hash.js';

const ALGORITHMS: Readonly<Record<string, HashAlgorithm>> = {
  argon2id,
  scrypt,
  '2a': bcrypt,
  '2b': bcrypt,
  '2y': bcrypt,
  'bcrypt-sha256': bcryptSha256,
  wp: wordpressBcrypt,
  'pbkdf2-sha1': pbkdf2,
  'pbkdf2-sha256': pbkdf2,
  'pbkdf2-sha512': pbkdf2,
  fbscrypt: firebaseScrypt,
};

/** The cost of new hashes. */
export const CURRENT_COST = ARGON2ID_COST;

/**
 * Returns the hashed form of a password: the profile OpaqueString of RFC 8265, without its rejections. Keyboards differ:
 * macOS and iOS type some letters with accents as two characters, others as one.
 */
function preparePassword(password: string): string {
  return password.replaceAll(/\p{Zs}/gu, ' ').normalize('NFC');
}

/**
 * Returns the strings to compare with a hash, one or two: the prepared form, and the password as sent, which other programs
 * and earlier versions may have hashed.
 */
export function passwordForms(password: string): readonly string[] {
  return [...new Set([preparePassword(password), password])];
}

/** Hashes the prepared form: argon2id with 19 MiB, two passes and one lane, on a thread of Node's pool. */
export function hashPassword(password: string): Promise<string> {
  return makeArgon2id(preparePassword(password));
}

/**
 * The cost of verifying a hash: its prefix and parameters, equal for hashes that take equal time. Returns undefined if the
 * string is not a valid hash of a known algorithm, or needs more memory or time than the limits allow.
 */
export function hashCost(passwordHash: string): string | undefined {
  const canonical = canonicalHash(passwordHash);
  return algorithmOf(canonical)?.costOf(canonical);
}

/**
 * Whether exactly this string matches a hash; see `passwordForms`. A string without a cost matches no password and returns
 * false immediately.
 */
export async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  const canonical = canonicalHash(passwordHash);
  const algorithm = algorithmOf(canonical);
  if (algorithm?.costOf(canonical) === undefined) return false;
  return algorithm.verify(canonical, password);
}

/**
 * A hash of this cost that matches no password.
 * @throws RangeError if `hashCost` returns no such cost
 */
export function makeDummyHash(cost: string): string {
  const algorithm = algorithmOf(cost);
  if (algorithm === undefined) throw new RangeError('this is not the cost of a known hash');
  return algorithm.makeDummy(cost);
}

/**
 * Whether to replace a hash that matched the password: it uses another algorithm, costs less than new hashes, or was made of
 * another form than the prepared one.
 * Bcrypt ignores everything after the 72nd byte, so a longer password may contain a typo there, and a new hash would require
 * that typo from then on. Such a password keeps its bcrypt hash, and so does one with outer white space, which WordPress
 * ignores.
 */
export function needsRehash(passwordHash: string, password: string): boolean {
  const algorithm = algorithmOf(canonicalHash(passwordHash));
  if (algorithm === bcrypt && !bcryptReadsAll(password)) return false;
  if (algorithm === wordpressBcrypt && password !== password.trim()) return false;
  return !isStrongArgon2id(passwordHash) || password !== preparePassword(password);
}

function algorithmOf(text: string): HashAlgorithm | undefined {
  const prefix = /^\$([^$]*)\$/.exec(text)?.[1] ?? '';
  return Object.hasOwn(ALGORITHMS, prefix) ? ALGORITHMS[prefix] : undefined;
}
