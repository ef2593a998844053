// The terms of the price of work, for the picture on the demo page.
import { captchaOptionsFrom } from '@tollgate/shared/config';
import type { Environment } from '../launcher/local-environment.js';

/** What the demo page needs to draw how the price of an attempt grows. Difficulties are zero bits. */
export interface ShownPrice {
  /** The price without failures. */
  readonly floor: number;
  /** What no price exceeds. */
  readonly ceiling: number;
  /** Bits added by each failure; 0 if failures do not raise the price. */
  readonly step: number;
  /** The failures of an account after which an image is required. */
  readonly imageAfter: number;
}

/** Reads the terms from an environment without empty variables, whose values are texts. The services check them. */
export function readShownPrice(environment: Environment): ShownPrice {
  const { pow, escalation } = captchaOptionsFrom(environment);
  return {
    floor: Number(pow.difficulty),
    ceiling: Number(pow.max_difficulty),
    step: String(pow.escalate) === 'true' ? Number(pow.step) : 0,
    imageAfter: Number(escalation.after),
  };
}
