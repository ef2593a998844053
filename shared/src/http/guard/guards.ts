// What a route can ask for in `config.guards`: `pow`, `captcha`, their options, and what is wrong with them.

import type { RouteGenericInterface } from 'fastify';
import { type FormRules, formRulesMistake } from '../../challenges/form-rules.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { AccountKeyOf } from './find-account-key.js';

/** Demands an image with every submission. */
export interface CaptchaGuard {
  readonly name: 'captcha';
  /** Names of the presets that are accepted; every one when left out. */
  readonly presets?: readonly string[];
}

/** The options of `pow`. `Route` is what the route declares, such as `{ Body: SignIn }`: `key` sees the body so. */
export interface PowOptions<Route extends RouteGenericInterface = RouteGenericInterface> {
  /** Finds the account that a request is about: its failures raise the price and lead to an image. */
  readonly key?: AccountKeyOf<Route>;
  /**
   * Whether an account that has failed five times from one address must wait before it tries again from there: 429
   * `login_throttled` with `Retry-After`. Needs `key`. The wait is read before the challenges are taken.
   */
  readonly throttle?: boolean;
  /** Names of the presets that are accepted where the account's failures demand an image. */
  readonly presets?: readonly string[];
  /** The least bits of work, 1 to `pow.max_difficulty`. */
  readonly minDifficulty?: number;
}

/** Demands a proof of work with every submission. */
export interface PowGuard extends PowOptions {
  readonly name: 'pow';
}

/** What a route can ask for in `config.guards`. */
export type Guard = CaptchaGuard | PowGuard | typeof captcha | typeof pow;

/**
 * Demands an image with every submission. In a list of guards it stands as it is (`captcha`), or is called with its options.
 * @param rule `presets` names the presets that are accepted; `effort` is one of them
 */
export function captcha(rule: { readonly presets?: readonly string[] } = {}): CaptchaGuard {
  return { ...rule, name: 'captcha' };
}

/**
 * Demands a proof of work with every submission and, with a `key`, an image once the account has failed
 * `CAPTCHA_ESCALATION_AFTER` times. In a list of guards it stands as it is (`pow`), or is called with its options.
 * @throws TypeError if `rule` is a function: `key` is an option, not the argument
 */
export function pow<Route extends RouteGenericInterface = RouteGenericInterface>(
  rule: PowOptions<Route> = {},
): PowGuard {
  if (typeof rule !== 'object') throw new TypeError('pow() takes an object with a function as key');
  // A list of guards holds guards of any route; `key` only ever gets requests of its own.
  return { ...(rule as PowOptions), name: 'pow' };
}

/** Returns the rules of a valid list of guards. */
export function formRules(guards: readonly Guard[]): FormRules {
  const own = guards.filter((guard) => typeof guard !== 'function');
  const work = own.find((guard) => guard.name === 'pow');
  return {
    alwaysImage: guards.some((guard) => guard.name === 'captcha'),
    presets: own.find((guard) => guard.presets !== undefined)?.presets,
    minDifficulty: work?.name === 'pow' ? work.minDifficulty : undefined,
  };
}

/** Returns the options of `pow` in a list of guards; undefined if the list has no `pow`. */
export function powGuardOf(guards: readonly Guard[]): PowGuard | undefined {
  const guard = guards.find(({ name }) => name === 'pow');
  if (guard === undefined) return undefined;
  return typeof guard === 'function' ? { name: 'pow' } : (guard as PowGuard);
}

const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  captcha: ['name', 'presets'],
  pow: ['name', 'key', 'throttle', 'presets', 'minDifficulty'],
};

/**
 * Returns what is wrong with `config.guards` of a route, as words that follow its place; null if nothing is. A guard that
 * is not understood must not leave the route open.
 */
export function guardMistake(guards: unknown, options: CaptchaOptions): string | null {
  if (!Array.isArray(guards)) return 'must be a list of captcha and pow()';
  const wrong = guards.findIndex((guard) => !isGuard(guard));
  if (wrong >= 0) return `must be a list of captcha and pow(): element ${wrong + 1} is neither`;
  // Only one of them would be judged by, and it might be the one without a key.
  const works = guards.filter(({ name }) => name === 'pow');
  if (works.length > 1) return 'must name pow() once';
  for (const [at, guard] of guards.entries()) {
    const mistake = typeof guard === 'function' ? null : formRulesMistake(guard, options);
    if (mistake !== null) return `${mistake}: element ${at + 1}`;
  }
  if (works.some(({ key, presets }) => presets !== undefined && key === undefined)) {
    return 'must have a key beside the presets of pow(): without one it demands no image';
  }
  if (works.some(({ key, throttle }) => throttle === true && key === undefined)) {
    return 'must have a key beside the throttle of pow(): without one there is no account to count';
  }
  const naming = guards.filter((guard) => typeof guard !== 'function' && guard.presets !== undefined);
  return naming.length > 1 ? 'must name presets once' : null;
}

function isGuard(guard: unknown): boolean {
  // `captcha` and `pow` may stand in the list without being called.
  if (typeof guard === 'function') return guard === captcha || guard === pow;
  if (typeof guard !== 'object' || guard === null) return false;
  const { name, key, throttle } = guard as { name?: unknown; key?: unknown; throttle?: unknown };
  if (typeof name !== 'string' || !Object.hasOwn(PROPERTIES, name)) return false;
  const known = PROPERTIES[name] ?? [];
  if (!Object.keys(guard).every((property) => known.includes(property))) return false;
  if (throttle !== undefined && typeof throttle !== 'boolean') return false;
  return key === undefined || typeof key === 'function';
}
