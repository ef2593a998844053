// Consuming records of the embedded store inside a transaction: what take.lua and redeem.lua do on Redis.

import type { Transaction } from '../../store/embedded-store.js';
import type { Redemption, Taken, TakeOptions } from './challenge-store.js';
import { CONSUMED_PREFIX, encodeConsumedRecord, parseConsumedRecord } from './records.js';

/** Consumes the record of a key under a claim, as `ChallengeStore.take` says. */
export function consume(
  tx: Transaction,
  key: string,
  claim: string,
  { exempt = [], onConsumed }: TakeOptions = {},
): Taken | null {
  const text = tx.get(key);
  if (text === undefined) return null;
  const consumed = parseConsumedRecord(text);
  if (consumed?.claim === claim) return { record: consumed.record, takenAtMs: consumed.takenAtMs };
  if (consumed !== null) {
    onConsumed?.();
    return null;
  }
  if (isExempt(text, exempt)) return null;
  tx.put(key, encodeConsumedRecord(claim, tx.nowMs, text), tx.expiryOf(key) ?? tx.nowMs);
  return { record: text, takenAtMs: tx.nowMs };
}

/** Consumes the work and records its receipt, as `ChallengeStore.redeem` says; a repetition leaves the receipt as it is. */
export function redeem(
  tx: Transaction,
  workKey: string,
  receiptKey: string,
  { claim, receiptTail, receiptSeconds, onConsumed }: Redemption,
): Taken | null {
  const isRepeated = tx.get(workKey)?.startsWith(CONSUMED_PREFIX) === true;
  const taken = consume(tx, workKey, claim, { onConsumed });
  if (taken !== null && !isRepeated) {
    tx.put(receiptKey, `${tx.nowMs} ${receiptTail}`, tx.nowMs + receiptSeconds * 1000);
  }
  return taken;
}

function isExempt(record: string, exempt: readonly string[]): boolean {
  const [, verifiedBy, type] = /^\d+ (\S+) ([^\s+]+)/.exec(record) ?? [];
  return (
    verifiedBy !== undefined && (exempt.includes(verifiedBy) || exempt.includes(`${verifiedBy}:${type}`))
  );
}
