// Receipts: a page receives one for its work and sends it to its server.

import { equalText, type KeyRing, keyedHash, type RingKey } from '@tollgate/shared/crypto';

/** Token, expiry in milliseconds since 1970, and the MAC: 128 bits in 22 characters of base64url. */
const RECEIPT = /^([A-Za-z0-9]{40})\.([1-9][0-9]{0,14})\.([A-Za-z0-9_-]{22})$/;

/** The longest text that is read as a receipt, in characters. */
const MAX_CHARACTERS = 100;

/** The content of a genuine receipt. */
interface OpenedReceipt {
  /** Names the record of the receipt. */
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Writes the receipt of a site under the current key. */
export function makeReceipt(ring: KeyRing, site: string, { token, expiresAtMs }: OpenedReceipt): string {
  return `${token}.${expiresAtMs}.${macOf(ring.current, site, token, String(expiresAtMs))}`;
}

/**
 * Reads a receipt of a site, made under any key of the ring. A reader of the store finds its token, but cannot make a MAC.
 * @returns null for any other text, and for the receipt of another site
 */
export function openReceipt(ring: KeyRing, site: string, text: string): OpenedReceipt | null {
  if (text.length > MAX_CHARACTERS) return null;
  const [, token = '', expiry = '', mac = ''] = RECEIPT.exec(text) ?? [];
  if (token === '' || !ring.all.some((key) => equalText(macOf(key, site, token, expiry), mac))) return null;
  return { token, expiresAtMs: Number(expiry) };
}

function macOf(key: RingKey, site: string, token: string, expiry: string): string {
  // One string, because none of the three has a dot, and an HMAC of one part takes half the time of one of three.
  return keyedHash(key.derive('tollgate receipt'), `${site}.${token}.${expiry}`).toString('base64url');
}
