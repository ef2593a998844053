// Verifies the pass that a machine of one's own presents in place of work.

import { presentsPass, readPass } from './attempts/pass.js';
import type { PassStore } from './store/pass-store.js';
import type { CheckedPass, FailedVerdict } from './verification.js';

/** Verifies passes for one application. */
export interface PassVerifier {
  /** Checks the form without reading the store; null if there is no pass, or one of the right form. */
  checkShape(pass: unknown): FailedVerdict | null;
  /**
   * Uses a pass of the right form once.
   * @param claim identifies the request: the same one counts once
   */
  use(pass: unknown, claim: string): Promise<CheckedPass>;
}

/**
 * Creates the verifier of one application.
 * @param rememberMs how long a repeated request counts once
 */
export function createPassVerifier(
  store: Pick<PassStore, 'usePass'>,
  application: string,
  rememberMs: number,
): PassVerifier {
  return {
    checkShape: (pass) => (presentsPass(pass) && readPass(pass) === null ? refusal('malformed') : null),

    async use(pass, claim) {
      const presented = readPass(pass);
      if (presented === null) return refusal('malformed');
      const { outcome, waitMs } = await store.usePass({ ...presented, application, claim, rememberMs });
      if (outcome === 'passed') return { ok: true, name: presented.name };
      const known = outcome === 'unknown' ? {} : { pass: presented.name };
      if (outcome !== 'exhausted') return { ...refusal(outcome), ...known };
      return { ...refusal(outcome), ...known, code: 'pass_exhausted', waitMs };
    },
  };
}

function refusal(reason: FailedVerdict['reason']): FailedVerdict {
  return { ok: false, code: 'pass_invalid', fields: {}, reason };
}
