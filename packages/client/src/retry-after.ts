// Reads `Retry-After`.

/**
 * Milliseconds of a response's `Retry-After`, given in seconds or as a date to come (RFC 9110, 10.2.3); null without one or for 0. A
 * date is compared with the response's `Date` where it can be read: the clock of this machine may be wrong.
 */
export function readRetryAfterMs(headers: Headers): number | null {
  // Null is neither a number nor a date.
  const value = headers.get('retry-after') as string;
  const sentMs = Date.parse(headers.get('date') as string) || Date.now();
  const ms = Number.parseFloat(value) * 1000 || Date.parse(value) - sentMs;
  return ms > 0 ? ms : null;
}
