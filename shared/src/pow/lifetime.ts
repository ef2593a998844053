// How long a proof-of-work challenge lives.

/** Hashes per second of a slow phone in plain JavaScript: what a lifetime must be long enough for. */
export const SLOW_HASHES_PER_SECOND = 500_000;

/** How much work a challenge is, beyond its price. */
export interface WorkShape {
  /** Least and most bits of the whole work. */
  readonly leastBits: number;
  readonly mostBits: number;
  /** log2 of the number of equal parts that it is done in. */
  readonly partBits: number;
  /** Multiple of the expected work within which all but one solve in a thousand end. */
  readonly spread: number;
}

/** A proof of work: one part, whose spread is ln(1000). */
export const POW_SHAPE: WorkShape = { leastBits: 0, mostBits: 256, partBits: 0, spread: 6.91 };

/**
 * The lifetime in whole seconds of a challenge of `difficulty` bits: the configured one, or longer where a slow
 * device would need longer (decisions 2.1, "Lifetime"); always the configured one when `grows` is false.
 */
export function lifetimeSeconds(difficulty: number, expireSeconds: number, grows: boolean): number {
  if (!grows) return expireSeconds;
  return Math.max(expireSeconds, Math.ceil((POW_SHAPE.spread * 2 ** difficulty) / SLOW_HASHES_PER_SECOND));
}
