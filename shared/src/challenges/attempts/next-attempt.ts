// What a failed answer says about the next attempt, and to whom it says it.

import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { ChallengeStore } from '../store/challenge-store.js';
import { offersImage, type Submission } from '../submission.js';
import { EFFORT } from '../types/effort-type.js';
import { type AttemptedAccount, failuresOf, hasRightWork, type Verdict } from '../verification.js';
import { sealScope } from './scope-ticket.js';

/** What a failed answer says about the next attempt. */
export interface NextAttempt {
  readonly captcha_required: boolean;
  /** Ticket for work priced by this account's failures. */
  readonly pow_scope?: string;
  /** Presets that may stand in for a demanded image. */
  readonly captcha_alternatives?: string[];
  /** Presets of images that the form accepts, where not every one will do. */
  readonly captcha_presets?: string[];
  /** The least bits of work that the form accepts. */
  readonly pow_min_difficulty?: number;
}

/** A submission that `verify` has judged. */
export interface AttemptedSubmission {
  readonly submission: Submission;
  readonly account?: AttemptedAccount | undefined;
  /** The client's address. */
  readonly ip?: string | undefined;
}

/** The methods of a host that say it. */
export interface NextAttempts {
  /**
   * What the failed answer to a submission with right work says about the next attempt on its account; without an account
   * no image is ever demanded. The price of that attempt is remembered for the client's address for `pow.expire` seconds,
   * so that a client that sends no ticket fetches work that is enough.
   * @param ip the client's address; without it nothing is remembered
   */
  nextAttempt(key: string | undefined, failures: number, ip?: string): Promise<NextAttempt>;
  /**
   * The same for the answer to a submission with this verdict: of its account only if the work was right.
   * @param tried `account` as it was handed to `verify`
   */
  nextAttemptAfter(verdict: Verdict, tried: AttemptedSubmission): Promise<NextAttempt>;
  /**
   * What the answer to a submission without right work says: nothing about any account, and `captcha_required` as the
   * submission itself had it, so that a page goes on showing its image. Asks the store nothing.
   * @param hasAccount whether the form counts failures of accounts: where `escalation.after` is 0 it always demands an image
   */
  nextAttemptUnproven(submission: Submission, hasAccount?: boolean): NextAttempt;
}

interface NextAttemptDependencies {
  readonly store: Pick<ChallengeStore, 'rememberPrice'>;
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The names of an account and of an address in the store. */
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

  const demands = (isRequired: boolean): NextAttempt => ({
    captcha_required: isRequired,
    ...(isRequired && effort.enabled ? { captcha_alternatives: [EFFORT] } : {}),
  });

  const nextAttempt: NextAttempts['nextAttempt'] = async (key, failures, ip) => {
    if (key === undefined) return demands(false);
    const { captcha_required, ...alternatives } = demands(failures >= escalation.after);
    if (!pow.escalate) return { captcha_required, ...alternatives };
    const name = address(ip);
    // Without failures the next attempt costs what everybody pays.
    if (name !== undefined && failures > 0) {
      const price = Math.min(pow.max_difficulty, pow.difficulty + pow.step * failures);
      await store.rememberPrice(name, price, pow.expire * 1000);
    }
    const pow_scope = sealScope(ring.current, account(key), clock() + decayMs);
    return { captcha_required, pow_scope, ...alternatives };
  };

  const nextAttemptUnproven: NextAttempts['nextAttemptUnproven'] = (submission, hasAccount = false) =>
    demands(offersImage(submission) || (hasAccount && escalation.after === 0));

  return {
    nextAttempt,
    nextAttemptUnproven,
    async nextAttemptAfter(verdict, { submission, account, ip }) {
      if (!verdict.ok && !hasRightWork(verdict)) {
        return nextAttemptUnproven(submission, account !== undefined);
      }
      return nextAttempt(account?.key, await failuresOf(account), verdict.ok ? undefined : ip);
    },
  };
}
