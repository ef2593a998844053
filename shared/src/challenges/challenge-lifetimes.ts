// The longest lifetimes of challenges, tickets and failures, which all carry a key id of CHALLENGE_SECRET.

import { effortBits, effortLifetimeSeconds } from '../pow/effort.js';
import { lifetimeSeconds } from '../pow/lifetime.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';

/** Longest lifetimes, in seconds. */
interface ChallengeLifetimes {
  /** Challenges of every type, scope tickets, and credentials issued by extensions. */
  readonly challenge: number;
  /** Failures: `CAPTCHA_ESCALATION_DECAY`. */
  readonly decay: number;
}

/** The longest lifetimes of an extension of challenge-service. */
export interface ExtensionLifetimes {
  /** Price ceiling of its challenges, in bits: expensive work lives longer. */
  readonly ceiling?: number;
  /** Longest lifetime of its passes or receipts, in seconds. */
  readonly seconds: number;
}

/** @param extensions the configured extensions */
export function challengeLifetimes(
  { pow, effort, cache, escalation }: CaptchaOptions,
  extensions: readonly ExtensionLifetimes[] = [],
): ChallengeLifetimes {
  const ceiling = Math.max(pow.max_difficulty, ...extensions.map((extension) => extension.ceiling ?? 0));
  const work = lifetimeSeconds(ceiling, pow.expire, pow.expire_grows);
  const dearest = effortBits(ceiling, effort.bits);
  // An effort challenge lives at least as long as a captcha, and a ticket as long as a failure.
  const effortWork = effortLifetimeSeconds(dearest, cache.expire);
  return {
    challenge: Math.max(work, effortWork, escalation.decay, ...extensions.map(({ seconds }) => seconds)),
    decay: escalation.decay,
  };
}
