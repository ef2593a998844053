// The longest lifetimes of challenges, tickets and failures, which all carry a key id of CHALLENGE_SECRET.

import { effortBits, effortLifetimeSeconds } from '../pow/effort.js';
import { lifetimeSeconds } from '../pow/lifetime.js';
import { siteCeiling } from '../pow/price.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';

/** Longest lifetimes, in seconds. */
export interface ChallengeLifetimes {
  /** Challenges of every type, scope tickets, the receipts of sites, and the passes of the gate. */
  readonly challenge: number;
  /** Failures: `CAPTCHA_ESCALATION_DECAY`. */
  readonly decay: number;
}

/** What a site decides of lifetimes. */
export interface SiteLifetimes {
  /** Floor of its price, in bits. */
  readonly difficulty: number;
  readonly receipt_seconds: number;
}

/** @param gatePassSeconds how long a pass of the gate is valid; 0 without a gate */
export function challengeLifetimes(
  { pow, effort, cache, escalation }: CaptchaOptions,
  sites: readonly SiteLifetimes[] = [],
  gatePassSeconds = 0,
): ChallengeLifetimes {
  const ceiling = Math.max(pow.max_difficulty, ...sites.map((site) => siteCeiling(pow, site.difficulty)));
  const work = lifetimeSeconds(ceiling, pow.expire, pow.expire_grows);
  const dearest = effortBits(ceiling, effort.bits);
  // An effort challenge lives at least as long as a captcha, and a ticket as long as a failure.
  const effortWork = effortLifetimeSeconds(dearest, cache.expire);
  const receipts = sites.map(({ receipt_seconds: seconds }) => seconds);
  return {
    challenge: Math.max(work, effortWork, escalation.decay, gatePassSeconds, ...receipts),
    decay: escalation.decay,
  };
}
