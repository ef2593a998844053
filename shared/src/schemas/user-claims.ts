// The directory's claims of a user beyond id and address: a JSON object that tokens carry as the claim `claims`.

import { type Static, Type } from '@sinclair/typebox';

/** Most bytes of the object, as JSON in UTF-8 without spaces. */
export const MAX_CLAIMS_BYTES = 1024;

/**
 * Most bytes of a user's address and claims together, as JSON in UTF-8, so that every issued token is short enough to be
 * accepted: an address of 254 ASCII characters beside the longest claims.
 */
export const MAX_USER_BYTES = 254 + MAX_CLAIMS_BYTES;

/** Any JSON object. */
export const UserClaims = Type.Record(Type.String(), Type.Unknown(), {
  description: "The user's claims from the directory, such as roles",
});
export type UserClaims = Static<typeof UserClaims>;

/**
 * Reads the claims of a user.
 * @param value an object, or its JSON text; null, undefined, an empty string and an empty object are no claims
 * @returns a copy of JSON values only, undefined without claims, or null if the value is invalid or too long
 */
export function readUserClaims(value: unknown): UserClaims | undefined | null {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.trim() === '') return undefined;
  try {
    const found: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    const text = JSON.stringify(found);
    if (Buffer.byteLength(text) > MAX_CLAIMS_BYTES) return null;
    const claims: unknown = JSON.parse(text);
    if (claims === null) return undefined;
    if (typeof claims !== 'object' || Array.isArray(claims)) return null;
    return Object.keys(claims).length === 0 ? undefined : (claims as UserClaims);
  } catch {
    return null;
  }
}

/** Returns whether tokens have room for a user's address and claims together. */
export function fitsTokens(email: string, claims: UserClaims | undefined): boolean {
  const quotes = 2;
  const claimsBytes = claims === undefined ? 0 : Buffer.byteLength(JSON.stringify(claims));
  return Buffer.byteLength(JSON.stringify(email)) - quotes + claimsBytes <= MAX_USER_BYTES;
}
