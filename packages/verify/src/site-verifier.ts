// Verifies the receipt of a widget with `siteverify`.

import type { FormVerifier } from './form-verifier.js';
import { type CallOptions, callService } from './service-call.js';
import { ADDRESS, check, PRINTABLE_ASCII } from './settings.js';
import { rejected, type SiteRejection, type SiteVerdict } from './verdict.js';
import type { SiteverifyAnswer } from './wire.js';

/** Options for a form with a widget. */
export interface SiteOptions extends CallOptions {
  /** Address of `siteverify`, such as `https://gate.example/api/captcha/siteverify`. */
  readonly siteverify: string | URL | undefined;
  /** The site's secret. */
  readonly secret: string | undefined;
  /** The site's key, which must belong to the secret. */
  readonly site?: string | undefined;
  /** The action of this form: receipts of others are rejected. */
  readonly action?: string | undefined;
  /** Names of fields that may have the receipt; by default those of the three widgets. */
  readonly fields?: readonly string[] | undefined;
}

/** Facts of one submission. */
export interface SiteContext {
  /** The visitor's address, for a site with `check_remoteip`. */
  readonly ip?: string | null | undefined;
  /** Cancels the verification. */
  readonly signal?: AbortSignal | null | undefined;
}

const FIELDS = ['cf-turnstile-response', 'h-captcha-response', 'g-recaptcha-response'];

/** Other codes are faults of the service or the configuration. */
const REJECTIONS: readonly SiteRejection[] = ['invalid-input-response', 'timeout-or-duplicate'];

/** @throws TypeError */
export function createSiteVerifier(options: SiteOptions): FormVerifier<SiteContext, SiteVerdict> {
  const { site, action, fields: names = FIELDS } = options;
  const url = check('siteverify', options.siteverify, ADDRESS);
  const secret = check('secret', options.secret, PRINTABLE_ASCII);
  return {
    names,
    async verify({ fields }, { ip, signal }) {
      // Other texts are no receipts, and some would make the whole request invalid.
      const receipt = Object.values(fields).find((text) => PRINTABLE_ASCII.test(text));
      if (receipt === undefined) return rejected('missing-input-response');
      const body = {
        secret,
        response: receipt,
        remoteip: ip || undefined,
        sitekey: site,
        idempotency_key: crypto.randomUUID(),
      };
      const { isAccepted, json, failure } = await callService({ url, body, signal }, options);
      const { success, 'error-codes': codes, ...facts } = json as unknown as SiteverifyAnswer;
      if (isAccepted) {
        const isOther = action !== undefined && action !== facts.action;
        return isOther ? rejected('action-mismatch') : { ...facts, ok: true, outcome: 'accepted' };
      }
      const code: SiteRejection = Object(codes)[0];
      return REJECTIONS.includes(code) ? rejected(code) : failure;
    },
  };
}
