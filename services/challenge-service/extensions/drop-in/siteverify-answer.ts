// Siteverify responses, in the form of the API that the site's page expects.

import { isoTime } from '@tollgate/shared/schemas';
import type { ReceiptRecord } from './receipt-record.js';
import type { Api, SiteverifyAnswer, SiteverifyError } from './site-bodies.js';

/** Returns the response to a rejected request. */
export function refusedAnswer(...codes: SiteverifyError[]): SiteverifyAnswer {
  return { success: false, 'error-codes': codes };
}

/**
 * Returns the response to a valid receipt. Clients react to the mere presence of a field: some reject a reCAPTCHA response
 * with `error-codes`, or an hCaptcha response with a `score`, whatever their value.
 * @param score the site's constant, 0 to 1
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
 * Serialises a response in the layout of a vendor. That of reCAPTCHA has lines and spaces, and some clients search its text
 * for `"success": true`.
 */
export function answerText(answer: SiteverifyAnswer, vendor: Api | null): string {
  return vendor === 'recaptcha' ? JSON.stringify(answer, null, 2) : JSON.stringify(answer);
}

/** Formats a time to the second like the three APIs: `2026-01-02T03:04:05Z`. */
function utcSecond(ms: number): string {
  return isoTime(ms).replace('+00:00', 'Z');
}
