// The requirements of the next attempt, as stated in the response to a failed one.

import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { ChallengeStore } from '../store/challenge-store.js';
import {
  type AttemptedAccount,
  countedKey,
  failuresOf,
  hasRightWork,
  offersImage,
  offersNoWork,
  type Submission,
  type Verdict,
} from '../submission.js';
import { EFFORT } from '../types/effort-type.js';
import type { Demand } from './demand.js';
import { sealTicket } from './scope-ticket.js';

/** The requirements of the next attempt. */
export interface NextAttempt {
  readonly captcha_required: boolean;
  /** Ticket for work priced by this account's failures. */
  readonly pow_scope?: string;
  /** Presets that may replace a required captcha. */
  readonly captcha_alternatives?: string[];
  /** Captcha presets that the form accepts, unless it accepts all. */
  readonly captcha_presets?: string[];
  /** Lowest difficulty of work that the form accepts, in bits. */
  readonly pow_min_difficulty?: number;
  /** Algorithms of work that the form accepts, unless it accepts all. */
  readonly pow_algorithms?: string[];
}

/** A submission that was passed to `verify`. */
export interface AttemptedSubmission {
  readonly submission: Submission;
  readonly account?: AttemptedAccount | undefined;
  /** The client's address. */
  readonly ip?: string | undefined;
  /** The requirements of its form. */
  readonly demand?: Demand | undefined;
}

/** The methods of a verifier that return the requirements. */
export interface NextAttempts {
  /**
   * Returns the requirements of the next attempt on an account, or of a known device, after a submission with valid work.
   * Without an account no captcha is required. The client's address remembers the price of that attempt for `pow.expire`
   * seconds, so that a client without tickets gets sufficient work.
   * @param key the account, or the key of its known device
   * @param ip the client's address; without it no price is remembered
   * @param demand requirements of the form: the ticket carries them, and the address remembers their bits like a price
   */
  nextAttempt(key: string | undefined, failures: number, ip?: string, demand?: Demand): Promise<NextAttempt>;
  /**
   * Returns the requirements after a submission with this verdict; those of its account only after valid work.
   * @param attempted `account` as it was passed to `verify`
   */
  nextAttemptAfter(verdict: Verdict, attempted: AttemptedSubmission): Promise<NextAttempt>;
  /**
   * Returns the requirements after a submission without valid work, without reading the store. They reveal nothing about an
   * account: `captcha_required` is true if the submission had a captcha, so that a page continues to show it, or if it had
   * no work and a captcha may replace it.
   * @param hasAccount whether the form counts failures of accounts; with `escalation.after` 0 it always requires a captcha
   * @param demand requirements of the form: a form without accounts hands out a ticket with them only
   */
  nextAttemptUnproven(submission: Submission, hasAccount?: boolean, demand?: Demand): NextAttempt;
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

  const ticketFor = (key: string | undefined, demand: Demand | undefined) => {
    if (!pow.escalate || (key === undefined && demand === undefined)) return {};
    const name = key === undefined ? undefined : account(key);
    return { pow_scope: sealTicket(ring.current, name, clock() + decayMs, demand) };
  };

  const nextAttempt: NextAttempts['nextAttempt'] = async (key, failures, ip, demand) => {
    const isAccount = key !== undefined;
    const { captcha_required, ...alternatives } = requirements(isAccount && failures >= escalation.after);
    const pseudonym = address(ip);
    const demanded = demand?.bits ?? 0;
    // Without failures the next attempt has the normal price.
    const isRaised = (isAccount && pow.escalate && failures > 0) || demanded > pow.difficulty;
    if (pseudonym !== undefined && isRaised) {
      const raised = pow.difficulty + (pow.escalate ? pow.step * failures : 0);
      const price = Math.min(pow.max_difficulty, Math.max(raised, demanded));
      await store.rememberPrice(pseudonym, price, pow.expire * 1000);
    }
    return { captcha_required, ...ticketFor(key, demand), ...alternatives };
  };

  const nextAttemptUnproven: NextAttempts['nextAttemptUnproven'] = (
    submission,
    hasAccount = false,
    demand,
  ) => {
    const { captcha_required, ...alternatives } = requirements(
      offersImage(submission) ||
        (hasAccount && escalation.after === 0) ||
        (options.no_script === 'image' && offersNoWork(submission)),
    );
    // If valid work would get a ticket with an account, one without would price the next work without failures.
    return { captcha_required, ...(hasAccount ? {} : ticketFor(undefined, demand)), ...alternatives };
  };

  return {
    nextAttempt,
    nextAttemptUnproven,
    async nextAttemptAfter(verdict, { submission, account, ip, demand }) {
      if (!verdict.ok && !hasRightWork(verdict)) {
        return nextAttemptUnproven(submission, account !== undefined, demand);
      }
      const client = verdict.ok ? undefined : ip;
      if (account === undefined) return nextAttempt(undefined, 0, client, demand);
      return nextAttempt(countedKey(account), await failuresOf(account), client, demand);
    },
  };
}
