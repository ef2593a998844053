// What a server is told of a receipt, in the form of the API that the page of the site expects.

import { isoTime } from '@tollgate/shared/schemas';
import type { ReceiptRecord } from './receipt-record.js';
import type { Api, SiteverifyAnswer, SiteverifyError } from './site-bodies.js';

/** Returns the answer to a request that is refused. */
export function refusedAnswer(...codes: SiteverifyError[]): SiteverifyAnswer {
  return { success: false, 'error-codes': codes };
}

/**
 * Returns the answer to a good receipt. Clients take a field that is there for a statement: some refuse an answer of
 * reCAPTCHA with `error-codes`, or one of hCaptcha with a `score`, whatever they hold.
 * @param score the constant of the site, 0 to 1
 */
export function acceptedAnswer(
  { api, redeemedAtMs, hostname, action, cdata }: ReceiptRecord,
  score: number,
): SiteverifyAnswer {
  const common = { success: true, challenge_ts: utcSecond(redeemedAtMs), hostname };
  switch (api) {
    case 'recaptcha':
      return action === '' ? common : { ...common, score, action };
    case 'hcaptcha':
      return { ...common, credit: false };
    default:
      return { ...common, 'error-codes': [], action, cdata };
  }
}

/**
 * Serialises an answer in the layout of a vendor. That of reCAPTCHA has lines and spaces, and there are clients that search
 * its text for `"success": true`.
 */
export function answerText(answer: SiteverifyAnswer, vendor: Api | null): string {
  return vendor === 'recaptcha' ? JSON.stringify(answer, null, 2) : JSON.stringify(answer);
}

/** Formats a time to the second as the three APIs do: `2026-01-02T03:04:05Z`. */
function utcSecond(ms: number): string {
  return isoTime(ms).replace('+00:00', 'Z');
}
