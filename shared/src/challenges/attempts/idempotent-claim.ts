// The claim of a submission that a host may send again: the same submission under the same key claims the same.

import { createHmac } from 'node:crypto';
import type { Submission } from '../submission.js';

/** What a host sent for checking. */
export interface ApplicationSubmission {
  /** The host's name, so that no other host's retry spends the same challenge again. */
  readonly host: string;
  readonly submission: Submission;
  readonly key?: string | undefined;
  readonly ip?: string | undefined;
}

/**
 * HMAC-SHA256(idempotency key, submission) cut to 128 bits, as 32 hexadecimal digits (decisions 2.3, "Spending"). Equal
 * claims get equal verdicts; another account, address or answer under the same idempotency key is another claim.
 */
export function idempotentClaim(
  idempotencyKey: string,
  { host, submission, key, ip }: ApplicationSubmission,
): string {
  const { powToken, powNonce, imageToken, imageAnswer } = submission;
  // JSON writes what is absent as null, and each text between quotes: no two submissions are written alike.
  const text = JSON.stringify([host, powToken, powNonce, imageToken, imageAnswer, key, ip]);
  return createHmac('sha256', idempotencyKey).update(text).digest('hex').slice(0, 32);
}
