// What one form requires beyond the options: always a captcha, certain presets, harder work.

import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { NAME_PATTERN } from '../schemas/names.js';
import type { NextAttempt } from './attempts/next-attempt.js';
import { mayReplaceWork, offersNoWork, type Submission } from './submission.js';
import { EFFORT } from './types/effort-type.js';

/** The rules of a form. */
export interface FormRules {
  /** Whether its submissions need work. */
  readonly needsWork?: boolean;
  /** Whether every submission needs a captcha, whatever the account. */
  readonly alwaysImage?: boolean;
  /** Names of the accepted presets; all by default. `effort` is one of them. */
  readonly presets?: readonly string[] | undefined;
  /** The least difficulty of work, in bits. */
  readonly minDifficulty?: number | undefined;
}

const NAME = new RegExp(NAME_PATTERN);

/**
 * Returns what an answer says about the next attempt on this form.
 * @param submission the one that is answered: `effort` is not offered where none was sent because there is no script
 */
export function requirementsOf(
  { captcha_required, pow_scope }: NextAttempt,
  { needsWork = false, alwaysImage = false, presets, minDifficulty }: FormRules,
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
  return next;
}

/** Returns what is wrong with the rules of a form, as words that follow its place, or null. */
export function formRulesMistake(
  { presets, minDifficulty }: { readonly presets?: unknown; readonly minDifficulty?: unknown },
  options: CaptchaOptions,
): string | null {
  const isName = (name: unknown) => typeof name === 'string' && NAME.test(name);
  if (presets !== undefined && !(Array.isArray(presets) && presets.length > 0 && presets.every(isName))) {
    return 'must have a list of names of presets as presets';
  }
  const { max_difficulty: most } = options.pow;
  const isBits = Number.isInteger(minDifficulty) && Number(minDifficulty) >= 1;
  if (minDifficulty !== undefined && !(isBits && Number(minDifficulty) <= most)) {
    return `must have a whole number from 1 to ${most} as minDifficulty`;
  }
  return null;
}
