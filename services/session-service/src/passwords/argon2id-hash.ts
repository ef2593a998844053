// Argon2id (RFC 9106) in the text form `$argon2id$v=19$m=19456,t=2,p=1$salt$digest`.

import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { type HashKind, MAX_HASH_BYTES, MAX_HASH_WORK_BYTES } from './hash-algorithm.js';
import { encodePhc } from './phc-base64.js';

const FORM =
  /^(\$argon2id\$(?:v=\d+\$)?m=(\d{1,9}),t=(\d{1,6}),p=(\d{1,3}))\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,171}$/;

/** What new hashes cost (decisions 3.6): 19 MiB, two passes, one lane. */
const MADE = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The cost of the hashes that are made today. */
export const ARGON2ID_COST = `$argon2id$v=19$m=${MADE.memoryCost},t=${MADE.timeCost},p=${MADE.parallelism}`;

/** Hashes a password on a thread of Node's pool and in 19 MiB. */
export function makeArgon2id(password: string): Promise<string> {
  return hash(password, MADE);
}

/** Whether a text is an argon2id hash with at least the memory and the passes of those made today. */
export function isStrongArgon2id(text: string): boolean {
  const [, , memoryKib = 0, passes = 0] = FORM.exec(text) ?? [];
  return Number(memoryKib) >= MADE.memoryCost && Number(passes) >= MADE.timeCost;
}

/** Argon2id, up to 256 MiB and 1 GiB times passes. */
export const argon2id: HashKind = {
  costOf(text) {
    const [, cost, memoryKib, passes] = FORM.exec(text) ?? [];
    const bytes = Number(memoryKib) * 1024;
    if (cost === undefined || bytes > MAX_HASH_BYTES || bytes * Number(passes) > MAX_HASH_WORK_BYTES) {
      return undefined;
    }
    try {
      // Knows the rest: versions, the least memory for the lanes, stray bits in the last character.
      parseOptions(text);
      return cost;
    } catch {
      return undefined;
    }
  },
  verify: (text, password) => verify(text, password),
  makeDummy: (cost) => `${cost}$${encodePhc(randomBytes(16))}$${encodePhc(randomBytes(32))}`,
};
