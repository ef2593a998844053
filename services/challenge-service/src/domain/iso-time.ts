// The form of a time on the wire.

/** ISO 8601 in UTC to the second, e.g. `2026-08-10T15:05:28+00:00` (decisions 2.1, `expires_at`). */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
