// The three outcomes of a verification.

import type { HostVerdict, SiteverifyAnswer, SiteverifyError } from './wire.js';

/** Requirements of the next attempt, for the browser package. */
export type NextAttempt = Pick<
  HostVerdict,
  | 'captcha_required'
  | 'pow_scope'
  | 'captcha_alternatives'
  | 'captcha_presets'
  | 'pow_min_difficulty'
  | 'pow_algorithms'
>;

/** The same as attributes of the form element, for a form that is rendered again. */
export interface ElementAttributes {
  readonly 'captcha-required'?: '';
  readonly 'captcha-alternatives'?: string;
  readonly 'pow-scope'?: string;
}

/** The JSON body of a refusal. The browser package reads it. */
export interface RefusalBody extends Partial<NextAttempt>, Pick<HostVerdict, 'errors' | 'retry_after'> {
  readonly message: string;
  readonly code: string;
}

/** Not accepted: send `body` with `status`, or render the form again with `attributes`. */
interface Refusal {
  readonly ok: false;
  readonly body: RefusalBody;
  readonly attributes: ElementAttributes;
}

/** The challenges are missing, wrong, spent, expired or too cheap. */
export interface Rejected<Code extends string = string> extends Refusal {
  readonly outcome: 'rejected';
  /** 429 for a client that must wait. */
  readonly status: 422 | 429;
  readonly code: Code;
}

/** No verdict: the service is away, slow or failing, or rejects the configuration. */
export interface Unavailable extends Refusal {
  readonly outcome: 'unavailable';
  readonly status: 503;
  readonly code: 'unavailable';
  /** For your log: status and body of the service's response, or the error of `fetch`. */
  readonly reason: string;
  /** Seconds to wait before another submission; 0 if the service did not say. */
  readonly retryAfter: number;
}

/** Why a receipt is rejected: codes of `siteverify`, and the action of another form. */
export type SiteRejection =
  | Extract<SiteverifyError, 'missing-input-response' | 'invalid-input-response' | 'timeout-or-duplicate'>
  | 'action-mismatch';

/** A valid receipt, and its facts. */
export interface SiteAccepted extends Omit<SiteverifyAnswer, 'success' | 'error-codes'> {
  readonly ok: true;
  readonly outcome: 'accepted';
}

/** Correct challenges. */
export interface HostAccepted {
  readonly ok: true;
  readonly outcome: 'accepted';
  /** Failures of a counted account, including this attempt. */
  readonly failures: number | undefined;
  /** For a refusal of your own, such as a wrong password: requirements of the next attempt. */
  readonly next: NextAttempt;
  /** The same for a form that you render again. */
  readonly attributes: ElementAttributes;
  /** Clears the account's failures. Resolves to false if that failed, true also without an account. */
  succeeded(): Promise<boolean>;
  /** Withdraws the failure of this attempt: nothing was checked. Resolves to false if that failed, true also without one. */
  withdraw(): Promise<boolean>;
}

export type SiteVerdict = SiteAccepted | Rejected<SiteRejection> | Unavailable;
export type HostApiVerdict = HostAccepted | Rejected | Unavailable;

type Requirements = Omit<RefusalBody, 'code' | 'message'> & { readonly message?: string };

export function rejected<Code extends string>(code: Code, body: Requirements = {}): Rejected<Code> {
  return refusal('rejected', body.retry_after ? 429 : 422, code, body);
}

export function unavailable(reason: string, retryAfter = 0): Unavailable {
  const code = 'unavailable';
  return { ...refusal(code, 503, code, {}), reason, retryAfter: retryAfter || 0 };
}

function refusal<Outcome, Status, Code extends string>(
  outcome: Outcome,
  status: Status,
  code: Code,
  body: Requirements,
) {
  const message = 'The security check has failed. Please try again.';
  return {
    ok: false,
    outcome,
    status,
    code,
    body: { message, ...body, code },
    attributes: attributesOf(body),
  } as const;
}

/** Returns the requirements of the next attempt as attributes of the form element. */
export function attributesOf(next: Partial<NextAttempt>): ElementAttributes {
  const { captcha_required, captcha_alternatives, pow_scope } = next;
  return {
    ...(captcha_required && { 'captcha-required': '' }),
    ...(captcha_alternatives && { 'captcha-alternatives': captcha_alternatives.join(' ') }),
    ...(pow_scope && { 'pow-scope': pow_scope }),
  };
}
