// The encoding of a receipt's record: the purpose for which the page redeemed its work.

import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { Action, Api, Cdata } from './site-bodies.js';

const Hex = (digits: number) => Type.String({ pattern: `^[0-9a-f]{${digits}}$` });

/** A receipt. The site is in its key. */
export const ReceiptRecord = Type.Object({
  redeemedAtMs: Type.Integer({ minimum: 0 }),
  /** The id of the key of `CHALLENGE_SECRET` that hashes the address. */
  keyId: Hex(8),
  /** The pseudonym of the address that redeemed the work; null if it was unknown. */
  address: Type.Union([Hex(32), Type.Null()]),
  /** The API that the page expects; null if it named none. */
  api: Type.Union([Api, Type.Null()]),
  /** Host name of the page. */
  hostname: Type.String({ pattern: '^[^\\s]{1,255}$' }),
  /** Empty if the page sent none. */
  action: Action,
  /** Empty if the page sent none. */
  cdata: Cdata,
});
export type ReceiptRecord = Static<typeof ReceiptRecord>;

const NOTHING = '-';
const record = TypeCompiler.Compile(ReceiptRecord);

/** Encodes a receipt from its second field on; the store puts the time before it. The last two fields may be empty. */
export function encodeReceiptTail(receipt: Omit<ReceiptRecord, 'redeemedAtMs'>): string {
  const { keyId, address, api, hostname, action, cdata } = receipt;
  return [keyId, address ?? NOTHING, api ?? NOTHING, hostname, action, cdata].join(' ');
}

/** Parses a receipt; returns null for anything else. */
export function parseReceiptRecord(text: string): ReceiptRecord | null {
  const [redeemedAtMs, keyId, address, api, hostname, action, cdata, ...more] = text.split(' ');
  const receipt = {
    redeemedAtMs: Number(redeemedAtMs),
    keyId,
    address: address === NOTHING ? null : address,
    api: api === NOTHING ? null : api,
    hostname,
    action,
    cdata,
  };
  return more.length === 0 && record.Check(receipt) ? receipt : null;
}
