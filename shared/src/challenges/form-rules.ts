// A form's requirements beyond the options: always a captcha, certain presets, harder work, certain algorithms.

import { acceptedAlgorithms, isAcceptedAlgorithm } from '../pow/algorithms.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { NAME_PATTERN } from '../schemas/names.js';
import { type Demand, presetMark } from './attempts/demand.js';
import type { NextAttempt } from './attempts/next-attempt.js';
import { mayReplaceWork, offersNoWork, type Submission } from './submission.js';
import { EFFORT } from './types/effort-type.js';

/** The rules of a form. */
export interface FormRules {
  /** Whether its submissions require work. */
  readonly needsWork?: boolean;
  /** Whether every submission requires a captcha, whatever the account. */
  readonly alwaysImage?: boolean;
  /** Names of the accepted presets; all by default. `effort` is one of them. */
  readonly presets?: readonly string[] | undefined;
  /** Lowest difficulty of work, in bits. */
  readonly minDifficulty?: number | undefined;
  /** Names of the accepted algorithms of work; all by default. */
  readonly algorithms?: readonly string[] | undefined;
}

const NAME = new RegExp(NAME_PATTERN);

/**
 * Returns the requirements of a form that a scope ticket carries; undefined if there are none. A form without work has no
 * tickets.
 */
export function demandOf(rules: FormRules): Demand | undefined {
  const { needsWork = false, presets, minDifficulty, algorithms } = rules;
  const image = presets?.find((name) => name !== EFFORT);
  const isFree = image === undefined && minDifficulty === undefined && algorithms === undefined;
  if (!needsWork || isFree) return undefined;
  return {
    bits: minDifficulty ?? 0,
    algorithms: algorithms ?? null,
    preset: image === undefined ? null : presetMark(image),
  };
}

/**
 * Returns the properties of a response about the next attempt on this form.
 * @param submission the failed one: `effort` is not offered to a submission without work, which has no script
 */
export function requirementsOf(
  { captcha_required, pow_scope }: NextAttempt,
  { needsWork = false, alwaysImage = false, presets, minDifficulty, algorithms }: FormRules,
  options: CaptchaOptions,
  submission: Submission,
): NextAttempt {
  const hasScript = !(needsWork && mayReplaceWork(options) && offersNoWork(submission));
  const isRequired = alwaysImage || captcha_required;
  const next: { -readonly [Name in keyof NextAttempt]: NextAttempt[Name] } = { captcha_required: isRequired };
  if (pow_scope !== undefined) next.pow_scope = pow_scope;
  if (isRequired) {
    const images = presets?.filter((name) => name !== EFFORT) ?? [];
    const takesEffort = hasScript && options.effort.enabled && (presets?.includes(EFFORT) ?? true);
    if (takesEffort) next.captcha_alternatives = [EFFORT];
    if (images.length > 0) next.captcha_presets = images;
  }
  if (minDifficulty !== undefined) next.pow_min_difficulty = minDifficulty;
  if (algorithms !== undefined) next.pow_algorithms = [...algorithms];
  return next;
}

/** The rules of a form, not yet validated. */
interface WrittenRules {
  readonly presets?: unknown;
  readonly preset?: unknown;
  readonly atLeast?: unknown;
  readonly minDifficulty?: unknown;
  readonly algorithms?: unknown;
}

/** Returns the mistake in the rules of a form, worded to follow their place, or null. */
export function formRulesMistake(rules: WrittenRules, options: CaptchaOptions): string | null {
  const { presets, preset, algorithms } = rules;
  const isName = (name: unknown) => typeof name === 'string' && NAME.test(name);
  if (presets !== undefined && !isListOf(presets, isName)) {
    return 'must have a list of names of presets as presets';
  }
  if (preset !== undefined && !isName(preset)) return 'must have the name of a preset as preset';
  if (preset !== undefined && presets !== undefined) return 'must have preset or presets, not both';
  const { max_difficulty: most } = options.pow;
  for (const name of ['atLeast', 'minDifficulty'] as const) {
    const bits = rules[name];
    if (bits === undefined) continue;
    if (!Number.isInteger(bits) || Number(bits) < 1 || Number(bits) > most) {
      return `must have a whole number from 1 to ${most} as ${name}`;
    }
  }
  if (rules.atLeast !== undefined && rules.minDifficulty !== undefined) {
    return 'must have atLeast alone: minDifficulty is its older name';
  }
  if (algorithms !== undefined && !areAcceptedAlgorithms(algorithms, options)) {
    return 'must have a list of algorithms that CAPTCHA_POW_ALGORITHMS accepts as algorithms';
  }
  return null;
}

/** Returns whether a value is a non-empty list of accepted algorithms. */
export function areAcceptedAlgorithms(value: unknown, { pow }: CaptchaOptions): boolean {
  const accepted = acceptedAlgorithms(pow.algorithms);
  return isListOf(value, (name) => isAcceptedAlgorithm(accepted, name));
}

function isListOf(value: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isElement);
}
