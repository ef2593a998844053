// How long a proof-of-work challenge lives.

/** Hashes per second of a slow phone in plain JavaScript: what a lifetime must be long enough for. */
export const SLOW_HASHES_PER_SECOND = 500_000;

/** ln(1000): the share of the expected work within which all but one solve in a thousand end. */
const PATIENCE = 6.91;

/**
 * The lifetime in whole seconds of a challenge of `difficulty` bits: the configured one, or longer where a slow
 * device would need longer (decisions 2.1, "Lifetime"); always the configured one when `grows` is false.
 */
export function lifetimeSeconds(difficulty: number, expireSeconds: number, grows: boolean): number {
  if (!grows) return expireSeconds;
  return Math.max(expireSeconds, Math.ceil((PATIENCE * 2 ** difficulty) / SLOW_HASHES_PER_SECOND));
}
