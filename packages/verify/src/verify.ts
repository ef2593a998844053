// Package entry: verifies a submitted form by asking challenge-service.

import { type FormInput, readForm } from './form-fields.js';
import type { FormVerifier } from './form-verifier.js';
import { createHostVerifier, type HostContext, type HostOptions } from './host-verifier.js';
import { createSiteVerifier, type SiteContext, type SiteOptions } from './site-verifier.js';
import { type HostApiVerdict, type SiteVerdict, unavailable } from './verdict.js';

export type { FormInput } from './form-fields.js';
export type { FormRules, HostContext, HostOptions } from './host-verifier.js';
export type { CallOptions } from './service-call.js';
export type { SiteContext, SiteOptions } from './site-verifier.js';
export type {
  ElementAttributes,
  HostAccepted,
  HostApiVerdict,
  NextAttempt,
  RefusalBody,
  Rejected,
  SiteAccepted,
  SiteRejection,
  SiteVerdict,
  Unavailable,
} from './verdict.js';

/** Verifies the receipt in a submitted form. Never rejects. */
export type SiteVerifier = (form: FormInput, context?: SiteContext) => Promise<SiteVerdict>;

/** Verifies the challenges in a submitted form. Never rejects. */
export type HostVerifier = (form: FormInput, context?: HostContext) => Promise<HostApiVerdict>;

/**
 * Creates the verifier of a form: with `siteverify` for a form with a widget, with `hostApi` for one with the element
 * `<tollgate-challenge>`. Sends nothing yet.
 * @throws TypeError if the address, secret or key is missing or malformed
 */
export function createVerifier(options: SiteOptions): SiteVerifier;
export function createVerifier(options: HostOptions): HostVerifier;
export function createVerifier(options: SiteOptions | HostOptions): unknown {
  const { names, verify }: FormVerifier<SiteContext & HostContext, SiteVerdict | HostApiVerdict> =
    'siteverify' in options ? createSiteVerifier(options) : createHostVerifier(options);
  return async (input: FormInput, context: SiteContext & HostContext = {}) => {
    try {
      return await verify(await readForm(input, names), context);
    } catch (error) {
      return unavailable(String(error));
    }
  };
}
