// Chooses the copy of a file that a client can read.

import Negotiator from 'negotiator';

const MAX_CHARACTERS = 256;

/**
 * Returns the first encoding that the client accepts, `identity` if it accepts none. The order of the header is ignored: all
 * copies exist, and the smallest suits both sides.
 * @param header `Accept-Encoding` of the request; its first 256 characters are read
 * @param available encodings such as `br`, the preferred one first
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | undefined,
  available: readonly Encoding[],
): Encoding | 'identity' {
  const headers = { 'accept-encoding': (header ?? '').slice(0, MAX_CHARACTERS) };
  const accepted = new Set<string>(new Negotiator({ headers }).encodings([...available]));
  return available.find((encoding) => accepted.has(encoding)) ?? 'identity';
}
