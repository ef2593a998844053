// The part of a verifier that depends on its mode.

import type { SubmittedForm } from './form-fields.js';

export interface FormVerifier<Context, Verdict> {
  /** Names of the fields that it reads. */
  readonly names: readonly string[];
  /** Never rejects. */
  verify(form: SubmittedForm, context: Context): Promise<Verdict>;
}
