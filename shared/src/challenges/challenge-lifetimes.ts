// How long at most what carries a key id of CHALLENGE_SECRET lives.

import { effortBits, effortLifetimeSeconds } from '../pow/effort.js';
import { lifetimeSeconds } from '../pow/lifetime.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';

/** In seconds. */
export interface ChallengeLifetimes {
  /** Challenges of every kind, scope tickets. */
  readonly challenge: number;
  /** Failures: `CAPTCHA_ESCALATION_DECAY`. */
  readonly decay: number;
}

export function challengeLifetimes({ pow, effort, cache, escalation }: CaptchaOptions): ChallengeLifetimes {
  const work = lifetimeSeconds(pow.max_difficulty, pow.expire, pow.expire_grows);
  const dearest = effortBits(pow.max_difficulty, effort.bits);
  // An effort challenge lives as long as an image at least, and tickets as long as failures.
  const effortWork = effortLifetimeSeconds(dearest, cache.expire);
  return { challenge: Math.max(work, effortWork, escalation.decay), decay: escalation.decay };
}
