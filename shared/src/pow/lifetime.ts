// The lifetime of a proof-of-work challenge.

/** Hashes per second of a slow phone in plain JavaScript; lifetimes are long enough for it. */
export const SLOW_HASHES_PER_SECOND = 500_000;

/** The division of a challenge's work, beyond its price. */
export interface WorkShape {
  /** Least and most bits of the total work. */
  readonly leastBits: number;
  readonly mostBits: number;
  /** log2 of the number of equal parts. */
  readonly partBits: number;
  /** Multiple of the expected work within which 999 of 1,000 solutions are found. */
  readonly spread: number;
}

/** A proof of work: one part, whose spread is ln(1000). */
export const POW_SHAPE: WorkShape = { leastBits: 0, mostBits: 256, partBits: 0, spread: 6.91 };

/**
 * Returns the lifetime in whole seconds of a challenge of `difficulty` bits: the configured one, or a longer one for slow
 * devices. Always the configured one if `grows` is false.
 */
export function lifetimeSeconds(difficulty: number, expireSeconds: number, grows: boolean): number {
  if (!grows) return expireSeconds;
  return Math.max(expireSeconds, Math.ceil((POW_SHAPE.spread * 2 ** difficulty) / SLOW_HASHES_PER_SECOND));
}
