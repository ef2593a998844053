// The requirements of the next attempt, as the answer to a failed one states them.

import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { ChallengeStore } from '../store/challenge-store.js';
import { offersImage, offersNoWork, type Submission } from '../submission.js';
import { EFFORT } from '../types/effort-type.js';
import {
  type AttemptedAccount,
  countedKey,
  failuresOf,
  hasRightWork,
  type Verdict,
} from '../verification.js';
import { sealScope } from './scope-ticket.js';

/** The requirements of the next attempt. */
export interface NextAttempt {
  readonly captcha_required: boolean;
  /** Ticket for work that is priced by this account's failures. */
  readonly pow_scope?: string;
  /** Presets that may replace a required captcha. */
  readonly captcha_alternatives?: string[];
  /** Captcha presets that the form accepts, if it does not accept all. */
  readonly captcha_presets?: string[];
  /** The least difficulty of work in bits that the form accepts. */
  readonly pow_min_difficulty?: number;
}

/** A submission that `verify` has verified. */
export interface AttemptedSubmission {
  readonly submission: Submission;
  readonly account?: AttemptedAccount | undefined;
  /** The client's address. */
  readonly ip?: string | undefined;
}

/** The methods of a verifier that state the requirements. */
export interface NextAttempts {
  /**
   * Returns the requirements of the next attempt on an account, or of a known device, after a submission with right work.
   * Without an account no captcha is required. The client's address remembers the price of that attempt for `pow.expire` seconds, so that a
   * client without tickets gets work that is enough.
   * @param key the account, or the key of its known device
   * @param ip the client's address; without it no price is remembered
   */
  nextAttempt(key: string | undefined, failures: number, ip?: string): Promise<NextAttempt>;
  /**
   * Returns the requirements after a submission with this verdict; those of its account only if the work was right.
   * @param attempted `account` as it was passed to `verify`
   */
  nextAttemptAfter(verdict: Verdict, attempted: AttemptedSubmission): Promise<NextAttempt>;
  /**
   * Returns the requirements after a submission without right work, without reading the store. They reveal nothing about
   * an account: `captcha_required` is true if the submission had a captcha, so that a page keeps showing it, or if it had
   * no work and a captcha may replace it.
   * @param hasAccount whether the form counts failures of accounts; with `escalation.after` 0 it always requires a captcha
   */
  nextAttemptUnproven(submission: Submission, hasAccount?: boolean): NextAttempt;
}

interface NextAttemptDependencies {
  readonly store: Pick<ChallengeStore, 'rememberPrice'>;
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The pseudonyms of an account and of an address. */
  readonly account: (key: string) => string;
  readonly address: (ip: string | undefined) => string | undefined;
}

export function createNextAttempts({
  store,
  ring,
  options,
  clock,
  account,
  address,
}: NextAttemptDependencies): NextAttempts {
  const { pow, effort, escalation } = options;
  const decayMs = escalation.decay * 1000;

  const requirements = (isRequired: boolean): NextAttempt =>
    isRequired && effort.enabled
      ? { captcha_required: true, captcha_alternatives: [EFFORT] }
      : { captcha_required: isRequired };

  const nextAttempt: NextAttempts['nextAttempt'] = async (key, failures, ip) => {
    if (key === undefined) return requirements(false);
    const { captcha_required, ...alternatives } = requirements(failures >= escalation.after);
    if (!pow.escalate) return { captcha_required, ...alternatives };
    const pseudonym = address(ip);
    // Without failures the next attempt has the normal price.
    if (pseudonym !== undefined && failures > 0) {
      const price = Math.min(pow.max_difficulty, pow.difficulty + pow.step * failures);
      await store.rememberPrice(pseudonym, price, pow.expire * 1000);
    }
    const pow_scope = sealScope(ring.current, account(key), clock() + decayMs);
    return { captcha_required, pow_scope, ...alternatives };
  };

  const nextAttemptUnproven: NextAttempts['nextAttemptUnproven'] = (submission, hasAccount = false) =>
    requirements(
      offersImage(submission) ||
        (hasAccount && escalation.after === 0) ||
        (options.no_script === 'image' && offersNoWork(submission)),
    );

  return {
    nextAttempt,
    nextAttemptUnproven,
    async nextAttemptAfter(verdict, { submission, account, ip }) {
      if (!verdict.ok && !hasRightWork(verdict)) {
        return nextAttemptUnproven(submission, account !== undefined);
      }
      if (account === undefined) return requirements(false);
      return nextAttempt(countedKey(account), await failuresOf(account), verdict.ok ? undefined : ip);
    },
  };
}
