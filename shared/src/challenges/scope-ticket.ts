// The scope ticket: lets a public endpoint price work by the failures of an account that it must not learn.

import { createHmac } from 'node:crypto';
import { equalBytes } from '../crypto/constant-time.js';
import type { KeyRing, RingKey } from '../crypto/key-ring.js';

/** The account that a ticket, or the record of work issued under it, speaks of. */
export interface Scope {
  /** Id of the key that the account's name was made with. */
  readonly keyId: string;
  /** The keyed account, as 32 hexadecimal digits. */
  readonly account: string;
}

const VERSION = 1;
const VERSION_BYTES = 1;
const KEY_ID_BYTES = 4;
const EXPIRY_BYTES = 6;
const ACCOUNT_BYTES = 16;
const MAC_BYTES = 16;
const BODY_BYTES = VERSION_BYTES + KEY_ID_BYTES + EXPIRY_BYTES + ACCOUNT_BYTES;
const TICKET_CHARACTERS = Math.ceil(((BODY_BYTES + MAC_BYTES) * 4) / 3);

/**
 * The ticket of an account (decisions 2.1, "Scope tickets"): version (1) ‖ key id (4) ‖ expiry in seconds (6) ‖
 * keyed account (16) ‖ HMAC-SHA256 cut to 16 bytes, in base64url. It is the same for accounts that exist and
 * accounts that do not, and may be used any number of times.
 *
 * @param key the first key of `CHALLENGE_SECRET`, which `account` was named with
 * @param account the keyed account, 32 hexadecimal digits
 * @param expiresAtMs milliseconds since 1970
 */
export function sealScope(key: RingKey, account: string, expiresAtMs: number): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(VERSION, 0);
  body.write(key.id, VERSION_BYTES, 'hex');
  body.writeUIntBE(Math.ceil(expiresAtMs / 1000), VERSION_BYTES + KEY_ID_BYTES, EXPIRY_BYTES);
  body.write(account, BODY_BYTES - ACCOUNT_BYTES, 'hex');
  return Buffer.concat([body, macOf(key, body)]).toString('base64url');
}

/** The scope of a ticket; null for whatever is forged, old, of another form, or no text at all. */
export function openScope(ring: KeyRing, ticket: unknown, nowMs: number): Scope | null {
  if (typeof ticket !== 'string' || ticket.length !== TICKET_CHARACTERS) return null;
  const bytes = Buffer.from(ticket, 'base64url');
  if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== ticket) return null;
  if (bytes.readUInt8(0) !== VERSION) return null;
  const key = ring.find(bytes.toString('hex', VERSION_BYTES, VERSION_BYTES + KEY_ID_BYTES));
  const body = bytes.subarray(0, BODY_BYTES);
  if (key === undefined || !equalBytes(macOf(key, body), bytes.subarray(BODY_BYTES))) return null;
  const expiresAtMs = body.readUIntBE(VERSION_BYTES + KEY_ID_BYTES, EXPIRY_BYTES) * 1000;
  if (expiresAtMs <= nowMs) return null;
  return { keyId: key.id, account: body.toString('hex', BODY_BYTES - ACCOUNT_BYTES) };
}

function macOf(key: RingKey, body: Buffer): Buffer {
  return createHmac('sha256', key.derive('tollgate scope ticket'))
    .update(body)
    .digest()
    .subarray(0, MAC_BYTES);
}
