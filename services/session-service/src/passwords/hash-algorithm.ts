// What a kind of password hash can do; one file for each kind.

/** A kind of password hash. */
export interface HashKind {
  /**
   * The beginning of a hash that says what it takes to verify it: prefix and parameters, without salt and digest.
   * Two hashes with equal costs take the same time and memory. Undefined when the text is no hash of this kind, is
   * damaged, or is dearer than this service will pay.
   */
  costOf(hash: string): string | undefined;
  /** Whether the password is the one behind a hash that has a cost. */
  verify(hash: string, password: string): Promise<boolean>;
  /** A hash of that cost with a random salt and digest: nobody's, and made without hashing anything. */
  makeDummy(cost: string): string;
}

/** The most memory that verifying one hash may take: 256 MiB, twice what the dearest common advice asks for. */
export const MAX_HASH_BYTES = 256 * 1024 * 1024;

/** The most memory times passes that verifying one hash may take: 1 GiB, about a second of one core. */
export const MAX_HASH_WORK_BYTES = 1024 * 1024 * 1024;
