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
    checkShape: (pass) => (presentsPass(pass) && readPass(pass) === null ? invalid('malformed') : null),

    async use(pass, claim) {
      const presented = readPass(pass);
      if (presented === null) return { ...invalid('malformed'), outcome: 'unknown' };
      const { outcome, waitMs } = await store.usePass({ ...presented, application, claim, rememberMs });
      if (outcome === 'passed') return { ok: true, name: presented.name };
      if (outcome === 'unknown') return { ...invalid('unknown'), outcome };
      const known = { outcome, pass: presented.name };
      if (outcome !== 'exhausted') return { ...invalid('unknown'), ...known };
      return { ...invalid('insufficient'), ...known, code: 'pass_exhausted', waitMs };
    },
  };
}

/** The reasons are those of work; why a pass is refused is its outcome. */
function invalid(reason: FailedVerdict['reason']): FailedVerdict {
  return { ok: false, code: 'pass_invalid', fields: {}, reason };
}
