// Verifies a site's receipts for its server.

import { createHmac } from 'node:crypto';
import { addressPseudonym, type ChallengeStore, normaliseAddress } from '@tollgate/shared/challenges';
import { equalText, type KeyRing, randomHex } from '@tollgate/shared/crypto';
import { createLruCache } from '@tollgate/shared/store';
import { openReceipt } from './receipt.js';
import { parseReceiptRecord, type ReceiptRecord } from './receipt-record.js';
import { isSiteKey, type Site } from './site.js';
import type { SiteverifyError } from './site-bodies.js';
import type { SiteverifyFields } from './siteverify-request.js';

/** The dependencies of a receipt verifier. */
interface ReceiptVerifierDependencies {
  /** The challenges of the site. */
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly random: (size: number) => Uint8Array;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** A request with a valid secret. */
export type ReceiptQuestion = Pick<SiteverifyFields, 'remoteip' | 'sitekey' | 'idempotency_key'> & {
  readonly response: string;
};

/** The record of a valid receipt, or the reason for its rejection. */
export type ReceiptVerdict =
  | { readonly ok: true; readonly record: ReceiptRecord }
  | { readonly ok: false; readonly code: SiteverifyError };

/**
 * Verifies a receipt. Throws StoreUnavailableError. Only a genuine receipt reaches the store, and only once: a repetition is
 * answered from the memory of this process.
 * @param admit called before the store is read; its result rejects the receipt, null admits it
 */
export type ReceiptVerifier = (
  question: ReceiptQuestion,
  admit: () => Promise<SiteverifyError | null>,
) => Promise<ReceiptVerdict>;

/** Receipts whose first request is remembered. */
const MOST_REMEMBERED = 5000;

/** The outcome of the first request with a receipt: its record, unless it was spent before, or a rejection by `admit`. */
type Taken = { readonly record: ReceiptRecord | null } | { readonly refusal: SiteverifyError };

/** Creates the verifier of a site. */
export function createReceiptVerifier(
  site: Site,
  { store, ring, random, clock }: ReceiptVerifierDependencies,
): ReceiptVerifier {
  const remembered = createLruCache<{ readonly claim: string; readonly taken: Promise<Taken> } | null>(
    MOST_REMEMBERED,
  );

  async function take(
    token: string,
    claim: string,
    admit: () => Promise<SiteverifyError | null>,
  ): Promise<Taken> {
    const refusal = await admit();
    if (refusal !== null) return { refusal };
    const taken = await store.take('receipt', token, claim);
    return { record: taken === null ? null : parseReceiptRecord(taken.record) };
  }

  /** The first request reads the store; concurrent ones wait for its result. */
  async function takeOnce(
    token: string,
    claim: string,
    admit: () => Promise<SiteverifyError | null>,
  ): Promise<Taken> {
    const before = remembered.get(token);
    if (before !== undefined && before !== null) {
      const taken = await before.taken;
      return 'refusal' in taken || before.claim === claim ? taken : { record: null };
    }
    const taken = take(token, claim, admit);
    remembered.set(token, { claim, taken });
    try {
      const outcome = await taken;
      if ('refusal' in outcome) remembered.set(token, null);
      return outcome;
    } catch (error) {
      remembered.set(token, null);
      throw error;
    }
  }

  /** Whether the address redeemed the work; false if it is unknown. */
  function isRedeemer(record: ReceiptRecord, remoteip: string | undefined): boolean {
    const key = ring.find(record.keyId);
    const address = normaliseAddress(remoteip?.trim());
    if (key === undefined || address === null || record.address === null) return false;
    return equalText(addressPseudonym(key, address), record.address);
  }

  return async ({ response, remoteip, sitekey, idempotency_key: idempotencyKey }, admit) => {
    const receipt = openReceipt(ring, site.key, response);
    if (sitekey !== undefined && sitekey !== site.key) {
      const isGenuine =
        receipt !== null || (isSiteKey(sitekey) && openReceipt(ring, sitekey, response) !== null);
      return refused(isGenuine ? 'sitekey-secret-mismatch' : 'invalid-input-response');
    }
    if (receipt === null) return refused('invalid-input-response');
    if (receipt.expiresAtMs <= clock()) return refused('timeout-or-duplicate');
    const claim =
      idempotencyKey === undefined
        ? randomHex(16, random)
        : claimOf(idempotencyKey, [site.key, response, remoteip]);
    const taken = await takeOnce(receipt.token, claim, admit);
    if ('refusal' in taken) return refused(taken.refusal);
    const { record } = taken;
    if (record === null) return refused('timeout-or-duplicate');
    if (site.check_remoteip && !isRedeemer(record, remoteip)) return refused('invalid-input-response');
    return { ok: true, record };
  };
}

/**
 * The claim of a request that may be retried: 128 bits of HMAC-SHA256(idempotency key, all that is verified), in
 * hexadecimal.
 */
function claimOf(idempotencyKey: string, verified: readonly (string | undefined)[]): string {
  return createHmac('sha256', idempotencyKey).update(JSON.stringify(verified)).digest('hex').slice(0, 32);
}

function refused(code: SiteverifyError): ReceiptVerdict {
  return { ok: false, code };
}
