// The error of a search that found no nonce.

/** No solution within `maxHashes`: the server's difficulty is too high for a browser. */
export class PowGaveUpError extends Error {
  override readonly name = 'PowGaveUpError';
  /** Hashes tried. */
  readonly hashes: number;
  /** Leading zero bits to find. */
  readonly difficulty: number;

  constructor(hashes: number, difficulty: number) {
    super(`No nonce with ${difficulty} leading zero bits among ${hashes} hashes.`);
    this.hashes = hashes;
    this.difficulty = difficulty;
  }
}
