// Error of a search without a result.

/** No solution within `maxHashes`: the difficulty is too high for a browser. */
export class PowGaveUpError extends Error {
  override readonly name = 'PowGaveUpError';
  /** Hashes tried. */
  readonly hashes: number;
  /** Required leading zero bits. */
  readonly difficulty: number;

  constructor(hashes: number, difficulty: number) {
    super(`No nonce with ${difficulty} leading zero bits among ${hashes} hashes.`);
    this.hashes = hashes;
    this.difficulty = difficulty;
  }
}
