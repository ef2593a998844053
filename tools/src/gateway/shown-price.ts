// The price terms of the work, for the demo page's chart.
import { captchaOptionsFrom } from '@tollgate/shared/config';
import type { Environment } from '../launcher/local-environment.js';

/** The growth of an attempt's price, for the demo page. Difficulties are zero bits. */
export interface ShownPrice {
  /** The price without failures. */
  readonly floor: number;
  /** The highest price. */
  readonly ceiling: number;
  /** Bits added by each failure; 0 if failures do not raise the price. */
  readonly step: number;
  /** The account's failures after which an image is required. */
  readonly imageAfter: number;
}

/** Reads the terms from an environment without empty variables. The services check the values. */
export function readShownPrice(environment: Environment): ShownPrice {
  const { pow, escalation } = captchaOptionsFrom(environment);
  return {
    floor: Number(pow.difficulty),
    ceiling: Number(pow.max_difficulty),
    step: String(pow.escalate) === 'true' ? Number(pow.step) : 0,
    imageAfter: Number(escalation.after),
  };
}
