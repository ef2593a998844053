// Reads `Retry-After`.

/** A wrong date or a maintenance page must not lock users out for days. */
const LONGEST_MS = 3_600_000;

/**
 * Returns the milliseconds of `Retry-After`, in seconds or as a future date (RFC 9110, 10.2.3), at most an hour; null
 * without one or for 0.
 * A date is compared with the response's `Date` if it is readable: the local clock may be wrong.
 */
export function readRetryAfterMs(headers: Headers): number | null {
  // A missing header is neither a number nor a date.
  const value = headers.get('retry-after') as string;
  const sentMs = Date.parse(headers.get('date') as string) || Date.now();
  const ms = Number.parseFloat(value) * 1000 || Date.parse(value) - sentMs;
  return ms > 0 ? Math.min(ms, LONGEST_MS) : null;
}
