// Argon2id (RFC 9106) as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$salt$digest`.

import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { encodePhc, type HashAlgorithm, MAX_ARGON2_WORK_BYTES, MAX_HASH_BYTES } from './hash-algorithm.js';

const FORM =
  /^(\$argon2id\$(?:v=\d+\$)?m=(\d{1,9}),t=(\d{1,6}),p=(\d{1,3}))\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,171}$/;

/** The parameters of new hashes: 19 MiB, two passes, one lane. */
const CURRENT = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The cost of new hashes. */
export const ARGON2ID_COST = `$argon2id$v=19$m=${CURRENT.memoryCost},t=${CURRENT.timeCost},p=${CURRENT.parallelism}`;

/** Hashes a password in 19 MiB, on a thread of Node's pool. */
export function makeArgon2id(password: string): Promise<string> {
  return hash(password, CURRENT);
}

/** Whether a string is an argon2id hash with at least the memory and passes of new hashes. */
export function isStrongArgon2id(text: string): boolean {
  const [, , memoryKib = 0, passes = 0] = FORM.exec(text) ?? [];
  return Number(memoryKib) >= CURRENT.memoryCost && Number(passes) >= CURRENT.timeCost;
}

/** Argon2id, up to 256 MiB of memory and 1 GiB of memory times passes. */
export const argon2id: HashAlgorithm = {
  costOf(text) {
    const [, cost, memoryKib, passes] = FORM.exec(text) ?? [];
    const bytes = Number(memoryKib) * 1024;
    if (cost === undefined || bytes > MAX_HASH_BYTES || bytes * Number(passes) > MAX_ARGON2_WORK_BYTES) {
      return undefined;
    }
    try {
      // Checks the rest: the version, the minimum memory for the lanes, stray bits in the last character.
      parseOptions(text);
      return cost;
    } catch {
      return undefined;
    }
  },
  verify: (text, password) => verify(text, password),
  makeDummy: (cost) => `${cost}$${encodePhc(randomBytes(16))}$${encodePhc(randomBytes(32))}`,
};
