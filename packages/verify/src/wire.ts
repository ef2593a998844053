// The bodies that the services send, as types. Written by `npm run docs` from their schemas. Do not edit.

/** Body of `POST /host/verify` without the submission. */
export interface HostVerifyBody {
  /** The attempted account, in the application's own spelling; counted separately for each application */
  readonly key?: string;
  /** IP address of the client */
  readonly ip?: string;
  /** Idempotency key: a repetition gets the same verdict. Use a new one for each submission, never a value from a client */
  readonly idempotency_key?: string;
  /** With `key`: counts this attempt as a failure before its outcome is known, and checks again */
  readonly count?: boolean;
  /** Whether work is required; true by default */
  readonly pow?: boolean;
  /** Requires an image, whatever the account; without one the code is `captcha_invalid` before anything is spent (required) or `captcha_required` after the work (demanded) */
  readonly image?: 'required' | 'demanded';
  /** Names of accepted presets; `effort` is one of them */
  readonly presets?: readonly string[];
  /** Accepted algorithms, a subset of `CAPTCHA_POW_ALGORITHMS` */
  readonly algorithms?: readonly ('sha256' | 'hashwx-1')[];
  readonly at_least?: number;
}

/** Response to `POST /host/verify`. */
export interface HostVerdict {
  readonly success: boolean;
  /** Reason of the failure, for people */
  readonly message?: string;
  /** Reason of the failure, as the code of a guarded route */
  readonly code?: string;
  /** Mistakes by field, for people */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** With `pass_exhausted`: seconds until the pass is usable again */
  readonly retry_after?: number;
  /** The next attempt requires an image answer */
  readonly captcha_required: boolean;
  /** Ticket for work priced by this account's failures; for `?scope=` */
  readonly pow_scope?: string;
  /** Presets that may replace the required image */
  readonly captcha_alternatives?: readonly string[];
  /** Accepted image presets; for `?preset=` */
  readonly captcha_presets?: readonly string[];
  /** Lowest accepted difficulty, in bits; for `?min_difficulty=` */
  readonly pow_min_difficulty?: number;
  /** Accepted algorithms; for `?algorithms=` */
  readonly pow_algorithms?: readonly string[];
  /** With `count`: failures of the account, including this attempt */
  readonly failures?: number;
  /** With `count`: id of this attempt for `DELETE /host/failures` */
  readonly try?: string;
}

/** Why a receipt is rejected. */
export type SiteverifyError =
  | 'missing-input-secret'
  | 'invalid-input-secret'
  | 'missing-input-response'
  | 'invalid-input-response'
  | 'sitekey-secret-mismatch'
  | 'timeout-or-duplicate'
  | 'bad-request'
  | 'internal-error';

/** Response to `POST {prefix}/siteverify`. */
export interface SiteverifyAnswer {
  readonly success: boolean;
  /** Reason for a rejection; empty for a valid receipt, absent for a valid one of reCAPTCHA or hCaptcha */
  readonly 'error-codes'?: readonly SiteverifyError[];
  /** Time of redemption */
  readonly challenge_ts?: string;
  /** Host name of the page */
  readonly hostname?: string;
  /** The page's action; absent for hCaptcha, and for reCAPTCHA without one */
  readonly action?: string;
  /** The page's data; for Turnstile only */
  readonly cdata?: string;
  /** The site's constant score, for reCAPTCHA with an action; does not measure the visitor */
  readonly score?: number;
  /** For hCaptcha only */
  readonly credit?: false;
}
