// The token of an Authorization header.

const SCHEME = 'bearer ';

/** The token after the scheme, whose name has no case (RFC 9110, 11.1); empty when there is none. */
export function bearerToken(header: string | undefined): string {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return '';
  return header.slice(SCHEME.length).trim();
}
