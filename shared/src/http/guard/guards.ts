// What a route can ask for in `config.guards`.

import type { FormRules } from '../../challenges/form-rules.js';
import type { AccountKeyOf } from './find-account-key.js';

/** Demands an image with every submission. */
export interface CaptchaGuard {
  readonly name: 'captcha';
  /** Names of the presets that are accepted; every one when left out. */
  readonly presets?: readonly string[];
}

/** Demands a proof of work with every submission. */
export interface PowGuard {
  readonly name: 'pow';
  readonly key?: AccountKeyOf;
  /** Names of the presets that are accepted where the account's failures demand an image. */
  readonly presets?: readonly string[];
  /** The least bits of work, 1 to `pow.max_difficulty`. */
  readonly minDifficulty?: number;
}

/** What a route can ask for in `config.guards`. */
export type Guard = CaptchaGuard | PowGuard | typeof captcha;

/**
 * Checks the image fields, always. In a list of guards it stands as it is, or called with the names of the presets that
 * are accepted; `effort` is one of them.
 */
export function captcha(rule: { readonly presets?: readonly string[] } = {}): CaptchaGuard {
  return { ...rule, name: 'captcha' };
}

/**
 * Checks the proof of work and, with a `key`, demands an image once the account has failed often enough.
 * @param rule `key` finds the account that a request is about; it may be waited for
 * @throws TypeError when the function is given in the place of the rule
 */
export function pow(rule: Omit<PowGuard, 'name'> = {}): PowGuard {
  if (typeof rule !== 'object') throw new TypeError('pow() takes an object with a function as key');
  return { ...rule, name: 'pow' };
}

/** The rules of a list of guards that is right. */
export function formRules(guards: readonly Guard[]): FormRules {
  const own = guards.filter((guard) => typeof guard !== 'function');
  const work = own.find((guard) => guard.name === 'pow');
  return {
    alwaysImage: guards.some((guard) => guard.name === 'captcha'),
    presets: own.find((guard) => guard.presets !== undefined)?.presets,
    minDifficulty: work?.name === 'pow' ? work.minDifficulty : undefined,
  };
}

/** The function that finds the account of a request, where the guards have one. */
export function keyFinderOf(guards: readonly Guard[]): AccountKeyOf | undefined {
  const work = guards.find((guard) => guard.name === 'pow');
  return typeof work === 'object' && work.name === 'pow' ? work.key : undefined;
}
