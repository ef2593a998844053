// Password hashes: argon2id, 19 MiB, two passes, one lane (decisions 3.6).

import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const PREFIX = '$argon2id$';

/** Hashes a password on a thread of Node's pool and in 19 MiB. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: LANES });
}

/**
 * Whether a password is the one behind a hash. A text that is no argon2id hash matches no password, and finding
 * that out takes as long as a real comparison.
 */
export async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  if (isReadable(passwordHash)) return verify(passwordHash, password);
  await verify(await dummyHash(), password);
  return false;
}

/** Whether a hash is of another kind, or cheaper than those made today. */
export function needsRehash(passwordHash: string): boolean {
  if (!isReadable(passwordHash)) return true;
  const { memoryCost, timeCost } = parseOptions(passwordHash);
  return memoryCost < MEMORY_KIB || timeCost < PASSES;
}

let dummy: Promise<string> | undefined;

/** A hash of today's cost that belongs to nobody, for accounts that do not exist; the same for the whole process. */
export function dummyHash(): Promise<string> {
  dummy ??= hashPassword(randomBytes(32).toString('base64'));
  return dummy;
}

function isReadable(passwordHash: string): boolean {
  if (!passwordHash.startsWith(PREFIX)) return false;
  try {
    parseOptions(passwordHash);
    return true;
  } catch {
    return false;
  }
}
