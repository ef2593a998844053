// The figures that decide how long sessions live and what may be repeated.

/** Configuration of the sessions, in the units of the store. */
export interface SessionRules {
  /** `REFRESH_WINDOW`: for so long after a rotation its answer is repeated, in milliseconds; 0 is strict single use. */
  readonly windowMs: number;
  /** `REFRESH_RECOVERIES`: generations that may be recovered in 24 hours. */
  readonly recoveries: number;
  /** `REFRESH_TTL`: a session not refreshed for so long is dead, in milliseconds. */
  readonly refreshTtlMs: number;
  /** `SESSION_MAX_AGE`: a session this old is dead, in milliseconds. */
  readonly maxAgeMs: number;
  /** `MAX_SESSIONS`: sessions of one user, at least 1. */
  readonly maxSessions: number;
}
