// Remembers what verified tokens said, so that a bearer's next request costs no cryptography.

import { createLruCache } from '../../cache/lru-cache.js';
import type { TokenReading } from '../../schemas/token-claims.js';

/** A reading that is good before a moment, in milliseconds since 1970. */
interface Remembered<Claims> {
  readonly reading: TokenReading<Claims>;
  readonly untilMs: number;
}

/** What a reader of tokens does. */
type Read<Claims> = (token: string) => TokenReading<Claims>;

/**
 * A reader that asks `read` once for each token that proves right and is presented again soon. The whole sealed text is
 * the key: whoever can present it could have had it read anyway. A token that is refused is never remembered, so that a
 * flood of them displaces nothing.
 *
 * @param most tokens remembered at least, if so many are right; twice as many at most
 * @param endsAtMs when a right reading is no longer right, in milliseconds since 1970
 * @param clock milliseconds since 1970
 */
export function cacheTokens<Claims>(
  read: Read<Claims>,
  most: number,
  endsAtMs: (claims: Readonly<Claims>) => number,
  clock: () => number,
): Read<Claims> {
  const readings = createLruCache<Remembered<Claims>>(most);
  return (token) => {
    const remembered = readings.get(token);
    if (remembered !== undefined && clock() < remembered.untilMs) return remembered.reading;
    const reading = read(token);
    if (reading.ok) readings.set(token, { reading, untilMs: endsAtMs(reading.claims) });
    return reading;
  };
}
