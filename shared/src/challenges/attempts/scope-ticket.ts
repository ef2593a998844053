// The scope ticket: a public endpoint prices work by the failures of an account without learning the account.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KeyRing, RingKey } from '../../crypto/key-ring.js';
import { randomBytes } from '../../crypto/random.js';

/** The account of a ticket, or of work that was issued for it. */
export interface Scope {
  /** Id of the key that made the account's pseudonym. */
  readonly keyId: string;
  /** The account's pseudonym, 32 hexadecimal digits. */
  readonly account: string;
}

const VERSION = 2;
const VERSION_BYTES = 1;
const KEY_ID_BYTES = 4;
const HEAD_BYTES = VERSION_BYTES + KEY_ID_BYTES;
const NONCE_BYTES = 12;
const EXPIRY_BYTES = 6;
const ACCOUNT_BYTES = 16;
const TAG_BYTES = 16;
const TICKET_BYTES = HEAD_BYTES + NONCE_BYTES + EXPIRY_BYTES + ACCOUNT_BYTES + TAG_BYTES;
const TICKET_CHARACTERS = Math.ceil((TICKET_BYTES * 4) / 3);

const PURPOSE = 'tollgate scope ticket';

/**
 * Makes the ticket of an account: version (1) ‖ key id (4) ‖ nonce (12) ‖ AES-256-GCM of expiry in seconds (6) and
 * pseudonym (16) ‖ tag (16), in base64url: 74 characters (docs/decisions/scope-tickets.md). It is encrypted because the
 * pseudonym is also a key in the store: a dump and a log of queries would show whose tickets the log contains. Each
 * ticket is different, reveals nothing about whether the account exists, and may be used any number of times.
 *
 * @param key the first key of `CHALLENGE_SECRET`, which made the pseudonym
 * @param account pseudonym, 32 hexadecimal digits
 * @param expiresAtMs milliseconds since 1970
 */
export function sealScope(key: RingKey, account: string, expiresAtMs: number): string {
  const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(key.id, 'hex')]);
  const body = Buffer.alloc(EXPIRY_BYTES + ACCOUNT_BYTES);
  body.writeUIntBE(Math.ceil(expiresAtMs / 1000), 0, EXPIRY_BYTES);
  body.write(account, EXPIRY_BYTES, 'hex');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.derive(PURPOSE), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(head);
  const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
  return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Opens a ticket. Returns null if it is forged, expired, malformed or not a text. */
export function openScope(ring: KeyRing, ticket: unknown, nowMs: number): Scope | null {
  if (typeof ticket !== 'string' || ticket.length !== TICKET_CHARACTERS) return null;
  const bytes = Buffer.from(ticket, 'base64url');
  if (bytes.length !== TICKET_BYTES || bytes.toString('base64url') !== ticket) return null;
  const head = bytes.subarray(0, HEAD_BYTES);
  const key = head.readUInt8(0) === VERSION ? ring.find(head.toString('hex', VERSION_BYTES)) : undefined;
  if (key === undefined) return null;
  const body = decrypt(key, head, bytes.subarray(HEAD_BYTES));
  if (body === null || body.readUIntBE(0, EXPIRY_BYTES) * 1000 <= nowMs) return null;
  return { keyId: key.id, account: body.toString('hex', EXPIRY_BYTES) };
}

function decrypt(key: RingKey, head: Buffer, sealed: Buffer): Buffer | null {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  // Without authTagLength Node accepts a tag as short as four bytes.
  const decipher = createDecipheriv('aes-256-gcm', key.derive(PURPOSE), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(head);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
