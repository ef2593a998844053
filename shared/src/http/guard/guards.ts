// The guards of `config.guards`: `pow` and `captcha`, their options, and their validation.

import type { FastifyRequest, RouteGenericInterface } from 'fastify';
import { type FormRules, formRulesMistake } from '../../challenges/form-rules.js';
import type { KnownDevice } from '../../challenges/submission.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import { MAX_KEY_CHARACTERS } from '../../schemas/host-bodies.js';
import { refuse, ValidationFailed } from '../errors/errors.js';

/** Requires an image challenge with every submission. */
export interface CaptchaGuard {
  readonly name: 'captcha';
  /** Names of the accepted presets; all by default. */
  readonly presets?: readonly string[];
  /** The only accepted preset, instead of `presets`. */
  readonly preset?: string;
}

/**
 * The options of `pow`. `Route` is the generic type of the route, such as `{ Body: SignIn }`, and types the request of
 * `key`.
 */
interface PowOptions<Route extends RouteGenericInterface = RouteGenericInterface> {
  /** Returns the account of a request. Its failures raise the required work, and then require an image. */
  readonly key?: AccountKeyOf<Route>;
  /**
   * Whether an account that has failed five times from one address must wait before the next attempt from there: 429
   * `login_throttled` with `Retry-After` in seconds. Requires `key`. A request that must wait spends no challenge.
   */
  readonly throttle?: boolean;
  /**
   * Returns the known device of a request, whose failures count separately from those of the account until its budget is
   * used up; undefined for other clients. Requires `key`. Called after the challenges' form has been checked, before any is
   * spent. Its decision must not depend on anything that a client can make up.
   */
  readonly device?: (request: FastifyRequest<Route>) => Promise<KnownDevice | undefined>;
  /** Names of the accepted presets once the failures of the account require an image; all by default. */
  readonly presets?: readonly string[];
  /** The only accepted preset, instead of `presets`. */
  readonly preset?: string;
  /** Lowest difficulty of the work, in bits: 1 to `pow.max_difficulty`. */
  readonly atLeast?: number;
  /** The older name of `atLeast`. */
  readonly minDifficulty?: number;
  /** Names of the accepted algorithms, a subset of `pow.algorithms`; all by default. */
  readonly algorithms?: readonly string[];
}

/** Requires a proof of work with every submission. */
export interface PowGuard extends PowOptions {
  readonly name: 'pow';
}

/** A guard in `config.guards`. */
export type Guard = CaptchaGuard | PowGuard | typeof captcha | typeof pow | 'captcha' | 'pow';

/**
 * Requires an image challenge with every submission: `guards: [captcha]`, `guards: ['captcha']`, or `guards: [captcha({
 * presets: ['calm'] })]`.
 * @param rule `presets` lists the accepted presets, including `effort`; all by default. `preset` is a single one
 */
export function captcha(rule: Omit<CaptchaGuard, 'name'> = {}): CaptchaGuard {
  return { ...rule, name: 'captcha' };
}

/**
 * Requires a proof of work with every submission and, with a `key`, an image once the account has failed
 * `CAPTCHA_ESCALATION_AFTER` times: `guards: [pow]`, or `guards: [pow({ key, throttle: true })]`.
 * @throws TypeError if `rule` is not an object: `key` is an option, not the argument
 */
export function pow<Route extends RouteGenericInterface = RouteGenericInterface>(
  rule: PowOptions<Route> = {},
): PowGuard {
  if (typeof rule !== 'object') throw new TypeError('pow() takes an object with a function as key');
  // A list contains guards of any route type, and `key` only receives requests of its own route.
  return { ...(rule as PowOptions), name: 'pow' };
}

/** A guard with its options. */
export type ConfiguredGuard = CaptchaGuard | PowGuard;

/**
 * Calls the guards of a valid list that are uncalled functions or names. It compares functions, not their names: a bundler
 * may rename them, and an unrecognised guard would leave its route open.
 */
export function configuredGuards(guards: readonly Guard[]): ConfiguredGuard[] {
  return guards.map((guard) => {
    if (guard === pow || guard === 'pow') return pow();
    if (guard === captcha || guard === 'captcha') return captcha();
    return guard as ConfiguredGuard;
  });
}

/** Returns the form rules of a list of guards. */
export function formRules(guards: readonly ConfiguredGuard[]): FormRules {
  const work = powGuardOf(guards);
  return {
    needsWork: work !== undefined,
    alwaysImage: guards.some(({ name }) => name === 'captcha'),
    presets: guards.map(presetsOf).find((presets) => presets !== undefined),
    minDifficulty: work?.atLeast ?? work?.minDifficulty,
    algorithms: work?.algorithms,
  };
}

function presetsOf({ presets, preset }: ConfiguredGuard): readonly string[] | undefined {
  return presets ?? (preset === undefined ? undefined : [preset]);
}

/** Returns the options of `pow` in a list of guards; undefined if the list has no `pow`. */
export function powGuardOf(guards: readonly ConfiguredGuard[]): PowGuard | undefined {
  return guards.find((guard): guard is PowGuard => guard.name === 'pow');
}

const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  captcha: ['name', 'presets', 'preset'],
  pow: [
    ...['name', 'key', 'throttle', 'device'],
    ...['presets', 'preset', 'atLeast', 'minDifficulty', 'algorithms'],
  ],
};

/**
 * Returns the mistake in `config.guards` of a route, worded to follow the route's name; null if there is none. An unknown
 * guard must not leave the route open.
 */
export function guardMistake(guards: unknown, options: CaptchaOptions): string | null {
  if (!Array.isArray(guards)) return 'must be a list of captcha and pow()';
  const wrong = guards.findIndex((guard) => !isGuard(guard));
  if (wrong >= 0) return `must be a list of captcha and pow(): element ${wrong + 1} is neither`;
  // Only the first one applies, and it might be the one without a key.
  const list = configuredGuards(guards);
  const works = list.filter((guard): guard is PowGuard => guard.name === 'pow');
  if (works.length > 1) return 'must name pow() once';
  for (const [at, guard] of list.entries()) {
    const mistake = formRulesMistake(guard, options);
    if (mistake !== null) return `${mistake}: element ${at + 1}`;
  }
  const demandsImage = list.some(({ name }) => name === 'captcha');
  if (works.some((work) => presetsOf(work) !== undefined && work.key === undefined && !demandsImage)) {
    return 'must have a key beside the presets of pow(): without one it never requires an image';
  }
  if (works.some(({ key, throttle }) => throttle === true && key === undefined)) {
    return 'must have a key beside the throttle of pow(): without one there is no account to count';
  }
  if (works.some(({ key, device }) => device !== undefined && key === undefined)) {
    return 'must have a key beside the device of pow(): without one there is no account to count';
  }
  const naming = list.filter((guard) => presetsOf(guard) !== undefined);
  return naming.length > 1 ? 'must name presets once' : null;
}

function isGuard(guard: unknown): boolean {
  // `captcha` and `pow` may be in the list uncalled, and by name.
  if (typeof guard === 'function') return guard === captcha || guard === pow;
  if (typeof guard === 'string') return Object.hasOwn(PROPERTIES, guard);
  if (typeof guard !== 'object' || guard === null) return false;
  const { name, key, throttle, device } = guard as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !Object.hasOwn(PROPERTIES, name)) return false;
  const known = PROPERTIES[name] ?? [];
  if (!Object.keys(guard).every((property) => known.includes(property))) return false;
  if (throttle !== undefined && typeof throttle !== 'boolean') return false;
  return [key, device].every((option) => option === undefined || typeof option === 'function');
}

/**
 * Returns the account of a request, a string of 1 to 512 characters; undefined if there is none. May be asynchronous. A
 * TypeError thrown by it, unless it has a cause, rejects the request with 422 `validation_failed`.
 */
export type AccountKeyOf<Route extends RouteGenericInterface = RouteGenericInterface> = (
  request: FastifyRequest<Route>,
) => string | undefined | Promise<string | undefined>;

/**
 * Calls the application's function. A TypeError from it means that the request lacks the expected body, so the client is
 * rejected, as it is for a key that is not a string of 1 to 512 characters. Any other error is passed on.
 *
 * @throws ValidationFailed
 */
export async function findAccountKey(
  keyOf: AccountKeyOf,
  request: FastifyRequest,
): Promise<string | undefined> {
  let key: unknown;
  try {
    key = await keyOf(request);
  } catch (error) {
    // fetch reports an unreachable server as a TypeError with a cause.
    if (!(error instanceof TypeError) || error.cause !== undefined) throw error;
    throw noAccountError(request, `key threw ${error.name}`);
  }
  if (key === undefined || isAccountKey(key)) return key;
  throw noAccountError(request, `key must return a string of 1 to ${MAX_KEY_CHARACTERS} characters`);
}

function isAccountKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARACTERS;
}

/** Logs and returns the error for a request without a required account. @param reason for the log */
export function noAccountError(request: FastifyRequest, reason: string): Error {
  request.log.info({ code: 'validation_failed', reason }, 'no account');
  return refuse(ValidationFailed, { fields: { body: ['malformed'] } });
}
