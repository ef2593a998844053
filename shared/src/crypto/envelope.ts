// The encryption around a signed token, a device cookie or a pass: AES-256-GCM, Base64, percent-encoding.

import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring.js';
import { randomBytes } from './random.js';

/** The two tokens. Neither opens as the other: keys and additional data differ. */
export type TokenKind = 'access' | 'refresh';

/**
 * The content of an envelope: a token, the claims of a page cookie or a device cookie, a gate pass, or the network of a gate
 * page.
 */
type EnvelopeKind = TokenKind | 'page' | 'device' | 'pass' | 'note';

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
const OVERHEAD_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;

/** Seals and opens envelopes of one kind. */
export interface Envelope {
  /**
   * version (1) ‖ key id (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16), in Base64, percent-encoded.
   * @param nonce 12 random bytes by default; pass one in known-answer tests only
   */
  seal(text: string, nonce?: Uint8Array): string;
  /**
   * Returns the opened content, or null for anything that `seal` did not make with a known key of this kind.
   * @param token in any spelling that `canonicalText` reads
   */
  open(token: string): string | null;
}

/** Makes the envelope of one kind under the keys of `ENCRYPTION_KEY`. */
export function createEnvelope(kind: EnvelopeKind, ring: KeyRing): Envelope {
  return createKeyedEnvelope(kind, derivedKeys(kind, ring));
}

/** A key of one kind, under the id of its element of `ENCRYPTION_KEY`. */
export interface EnvelopeKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The keys of one kind, in the order of the ring. */
export function derivedKeys(kind: EnvelopeKind, ring: KeyRing): EnvelopeKey[] {
  return ring.all.map((key) => ({ id: key.id, key: key.derive(`tollgate ${kind} token`) }));
}

/** The same from derived keys; the first seals, all open. */
export function createKeyedEnvelope(kind: EnvelopeKind, keys: readonly EnvelopeKey[]): Envelope {
  const heads = keys.map(({ id, key }) => {
    const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(id, 'hex')]);
    const bound = Buffer.concat([head, Buffer.from(`tollgate ${kind}`)]);
    return { key, head, idNumber: head.readUInt32BE(1), bound };
  });
  const [current] = heads;
  if (current === undefined) throw new RangeError('an envelope needs at least one key');
  return {
    seal(text, nonce = randomBytes(NONCE_BYTES)) {
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(current.bound);
      const body = cipher.update(text, 'utf8');
      // In this mode it finishes the tag and returns no bytes.
      cipher.final();
      const sealed = Buffer.concat([current.head, nonce, body, cipher.getAuthTag()]);
      return encodeURIComponent(sealed.toString('base64'));
    },
    open(token) {
      const base64 = canonicalText(token);
      const bytes = Buffer.from(base64, 'base64');
      // The decoder also accepts non-canonical Base64.
      if (bytes.length < OVERHEAD_BYTES || bytes.toString('base64') !== base64) return null;
      const idNumber = bytes.readUInt32BE(1);
      const head = heads.find((known) => known.idNumber === idNumber);
      if (head === undefined || bytes[0] !== VERSION) return null;
      const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
      // Without authTagLength Node accepts a tag as short as four bytes.
      const decipher = createDecipheriv('aes-256-gcm', head.key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(head.bound);
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(HEAD_BYTES + NONCE_BYTES, bytes.length - TAG_BYTES));
        // Returns no bytes in this mode and throws unless the tag is valid; no plaintext leaves before.
        decipher.final();
        return text.toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** The longest accepted input, in characters. */
export const MAX_TOKEN_CHARACTERS = 4096;

/** Cookie libraries decode a value, and clients encode one that is encoded already. */
const MOST_DECODINGS = 2;

/**
 * Returns the canonical spelling of a token: without percent-encoding, after at most two decodings. No token contains a
 * percent sign, so further calls change nothing. Caches and comparisons use only this spelling.
 * @returns an empty string, which is never valid, for a malformed percent sequence, for one that remains after two
 * decodings, and for more than `MAX_TOKEN_CHARACTERS`
 */
export function canonicalText(text: string): string {
  if (text.length > MAX_TOKEN_CHARACTERS) return '';
  let decoded = text;
  try {
    for (let n = 0; n < MOST_DECODINGS && decoded.includes('%'); n++) decoded = decodeURIComponent(decoded);
  } catch {
    return '';
  }
  return decoded.includes('%') ? '' : decoded;
}

/**
 * Blanks between two cookies. `trim` drops more, such as the byte A0: a browser lets another host of the site set
 * `\xA0__Host-x`, which would count as `__Host-x`, and which no response that expires `__Host-x` removes.
 */
const LEADING_BLANKS = /^[ \t]+/;

/**
 * Returns the canonical text of every cookie with a name, in order, without double quotes around the value (RFC 6265,
 * 4.1.1). Cookie parsers return one value per name, so a planted twin would hide the real cookie.
 * @param header the `Cookie` header
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined || !header.includes(name)) return [];
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at <= 0 || pair.slice(0, at).replace(LEADING_BLANKS, '') !== name) continue;
    const value = pair.slice(at + 1).trim();
    values.push(canonicalText(/^"(.*)"$/s.exec(value)?.[1] ?? value));
  }
  return values;
}
