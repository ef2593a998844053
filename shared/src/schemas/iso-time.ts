// Times in the wire format.

/** Formats a time in ISO 8601, in UTC and to the second, e.g. `2026-08-10T15:05:28+00:00`. */
export function isoTime(ms: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: it formats a time and reads no clock
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
