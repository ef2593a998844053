// How the commands write a time.

/** ISO 8601 in UTC to the second, e.g. `2026-08-10T15:05:28Z`. @param ms milliseconds since 1970 */
export function utcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
