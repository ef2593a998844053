// The interface of a password hash algorithm, the limits on its cost, and the Base64 of PHC strings.

/** A password hash algorithm. */
export interface HashAlgorithm {
  /**
   * The part of a hash that determines the work of verifying it: prefix and parameters, without salt and digest. Hashes of
   * equal cost take the same time and memory. Returns undefined if the string is not a valid hash of this algorithm or
   * exceeds the limits below.
   */
  costOf(hash: string): string | undefined;
  /** Whether the password matches a hash that has a cost. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Returns a hash of this cost with random salt and digest, without hashing anything. It matches no password. */
  makeDummy(cost: string): string;
}

/** The maximum memory for verifying one hash: 256 MiB, twice the most expensive common recommendation. */
export const MAX_HASH_BYTES = 256 * 1024 * 1024;

/** The maximum of memory times passes for verifying one hash of Argon2: 1 GiB, about half a second of one core. */
export const MAX_ARGON2_WORK_BYTES = 1024 * 1024 * 1024;

/** The maximum for scrypt, memory times lanes: 256 MiB, about a second of one core. */
export const MAX_SCRYPT_WORK_BYTES = 256 * 1024 * 1024;

/** Encodes bytes as in a PHC string: the standard alphabet without padding. */
export function encodePhc(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Decodes a field of a PHC string. Returns undefined if it is not in the form of `encodePhc`. */
export function decodePhc(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return encodePhc(bytes) === text ? bytes : undefined;
}
