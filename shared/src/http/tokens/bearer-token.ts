// Reads the token of an Authorization header; a separate file, because routes with an API key need no access tokens.

const SCHEME = 'bearer ';

/** Returns the token after the scheme, whose name is case-insensitive (RFC 9110, 11.1); empty if there is none. */
export function bearerToken(header: string | undefined): string {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return '';
  return header.slice(SCHEME.length).trim();
}
