// The scope ticket: lets a public endpoint price work by an account's failures without learning the account.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KeyRing, RingKey } from '../../crypto/key-ring.js';
import { randomBytes } from '../../crypto/random.js';
import { DEMAND_BYTES, type Demand, decodeDemand, encodeDemand } from './demand.js';

/** The account of a ticket, or of work issued for it. */
export interface Scope {
  /** Id of the key that made the account's pseudonym. */
  readonly keyId: string;
  /** The account's pseudonym, 32 hexadecimal digits. */
  readonly account: string;
}

/** The content of a ticket. */
interface Ticket {
  /** The account that the next work is priced for; null without one. */
  readonly scope: Scope | null;
  /** Requirements of the form; null for none. */
  readonly demand: Demand | null;
}

const VERSION = 2;
/** A ticket with requirements. A process that does not know this version ignores it, like any ticket that it cannot open. */
const DEMANDING_VERSION = 3;
const VERSION_BYTES = 1;
const KEY_ID_BYTES = 4;
const HEAD_BYTES = VERSION_BYTES + KEY_ID_BYTES;
const NONCE_BYTES = 12;
const EXPIRY_BYTES = 6;
const ACCOUNT_BYTES = 16;
const TAG_BYTES = 16;
const TICKET_BYTES = HEAD_BYTES + NONCE_BYTES + EXPIRY_BYTES + ACCOUNT_BYTES + TAG_BYTES;
/** Replaces the account in a ticket without one. */
const NO_ACCOUNT = '0'.repeat(2 * ACCOUNT_BYTES);

const BYTES_OF_VERSION: ReadonlyMap<number, number> = new Map([
  [VERSION, TICKET_BYTES],
  [DEMANDING_VERSION, TICKET_BYTES + DEMAND_BYTES],
]);
const LONGEST_TICKET_CHARACTERS = Math.ceil(((TICKET_BYTES + DEMAND_BYTES) * 4) / 3);

const PURPOSE = 'tollgate scope ticket';

/**
 * Makes a ticket: version (1) ‖ key id (4) ‖ nonce (12) ‖ AES-256-GCM of expiry in seconds (6), pseudonym (16) and, in a
 * ticket of version 3, the demand of the form (6) ‖ tag (16), in base64url: 74 characters, 82 with a demand
 * (docs/decisions/scope-tickets.md). It is encrypted because the pseudonym is also a key in the store: a dump and a log of
 * queries would show whose tickets the log contains. Each ticket is different, reveals nothing about whether the account
 * exists, and may be used any number of times.
 *
 * @param key the first key of `CHALLENGE_SECRET`, which made the pseudonym
 * @param account pseudonym, 32 hexadecimal digits; undefined for a ticket with requirements only
 * @param expiresAtMs milliseconds since 1970
 */
export function sealTicket(
  key: RingKey,
  account: string | undefined,
  expiresAtMs: number,
  demand?: Demand,
): string {
  const version = demand === undefined ? VERSION : DEMANDING_VERSION;
  const head = Buffer.concat([Buffer.from([version]), Buffer.from(key.id, 'hex')]);
  const body = Buffer.alloc(EXPIRY_BYTES + ACCOUNT_BYTES);
  body.writeUIntBE(Math.ceil(expiresAtMs / 1000), 0, EXPIRY_BYTES);
  body.write(account ?? NO_ACCOUNT, EXPIRY_BYTES, 'hex');
  const parts = demand === undefined ? [body] : [body, encodeDemand(demand)];
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.derive(PURPOSE), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(head);
  const sealed = Buffer.concat([...parts.map((part) => cipher.update(part)), cipher.final()]);
  return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Opens a ticket. Returns null if it is forged, expired, malformed or not a string. */
export function openTicket(ring: KeyRing, ticket: unknown, nowMs: number): Ticket | null {
  if (typeof ticket !== 'string' || ticket.length > LONGEST_TICKET_CHARACTERS) return null;
  const bytes = Buffer.from(ticket, 'base64url');
  const version = bytes.at(0) ?? 0;
  if (bytes.length !== BYTES_OF_VERSION.get(version) || bytes.toString('base64url') !== ticket) return null;
  const head = bytes.subarray(0, HEAD_BYTES);
  const key = ring.find(head.toString('hex', VERSION_BYTES));
  if (key === undefined) return null;
  const body = decrypt(key, head, bytes.subarray(HEAD_BYTES));
  if (body === null || body.readUIntBE(0, EXPIRY_BYTES) * 1000 <= nowMs) return null;
  const account = body.toString('hex', EXPIRY_BYTES, EXPIRY_BYTES + ACCOUNT_BYTES);
  return {
    scope: account === NO_ACCOUNT ? null : { keyId: key.id, account },
    demand: version === DEMANDING_VERSION ? decodeDemand(body.subarray(EXPIRY_BYTES + ACCOUNT_BYTES)) : null,
  };
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
