// What the next submission has to answer, as far as the client knows.

import type { ChallengeOptions } from './challenge-options.js';
import type { Refusal } from './refusal.js';

export interface Demand {
  readonly captchaRequired: boolean;
  /** How the demand is answered. */
  readonly kind: 'image' | 'effort';
  readonly alternatives: readonly string[];
  /** The ticket that prices the next work. */
  readonly scope: string | undefined;
  /** The presets that the form accepts; undefined while it has not said. */
  readonly presets?: readonly string[] | undefined;
  /** The least bits of work that it accepts. */
  readonly minDifficulty?: number | undefined;
}

type ImageRule = NonNullable<ChallengeOptions['image']>;

/** The demand on a form that nobody has sent yet, and again after each success. */
export function firstDemand(rule?: ImageRule): Demand {
  const captchaRequired = rule === 'always';
  // The service names the alternatives in refusals alone; one that has them switched off says so when asked.
  return {
    captchaRequired,
    kind: 'image',
    alternatives: captchaRequired ? ['effort'] : [],
    scope: undefined,
  };
}

/** The demand after a refusal; what that did not say is as before. */
export function demandAfter(demand: Demand, refusal: Refusal, rule: ImageRule = 'demanded'): Demand {
  const said = refusal.captchaRequired ?? demand.captchaRequired;
  const captchaRequired = rule === 'always' || (rule === 'demanded' && said);
  const alternatives = refusal.alternatives ?? demand.alternatives;
  const keepsEffort = captchaRequired && demand.kind === 'effort' && alternatives.includes('effort');
  return {
    captchaRequired,
    kind: keepsEffort ? 'effort' : 'image',
    alternatives: captchaRequired ? alternatives : [],
    scope: refusal.scope ?? demand.scope,
    presets: refusal.presets ?? demand.presets,
    minDifficulty: refusal.minDifficulty || demand.minDifficulty,
  };
}

/** The demand where the service does not know `effort`. */
export function withoutEffort(demand: Demand): Demand {
  return { ...demand, kind: 'image', alternatives: demand.alternatives.filter((name) => name !== 'effort') };
}
