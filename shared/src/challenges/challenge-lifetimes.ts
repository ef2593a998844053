// The longest lifetimes of challenges, tickets and failures, which all carry a key id of CHALLENGE_SECRET.

import { effortBits, effortLifetimeSeconds } from '../pow/effort.js';
import { lifetimeSeconds } from '../pow/lifetime.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';

/** Longest lifetimes, in seconds. */
export interface ChallengeLifetimes {
  /** Challenges of every type, and scope tickets. */
  readonly challenge: number;
  /** Failures: `CAPTCHA_ESCALATION_DECAY`. */
  readonly decay: number;
}

export function challengeLifetimes({ pow, effort, cache, escalation }: CaptchaOptions): ChallengeLifetimes {
  const work = lifetimeSeconds(pow.max_difficulty, pow.expire, pow.expire_grows);
  const dearest = effortBits(pow.max_difficulty, effort.bits);
  // An effort challenge lives at least as long as a captcha, and a ticket as long as a failure.
  const effortWork = effortLifetimeSeconds(dearest, cache.expire);
  return { challenge: Math.max(work, effortWork, escalation.decay), decay: escalation.decay };
}
