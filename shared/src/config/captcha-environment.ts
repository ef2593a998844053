// The challenge options as variables: `pow.volume.every` is `CAPTCHA_POW_VOLUME_EVERY`.

import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { CaptchaOptions, checkCaptchaOptions } from '../schemas/captcha-options.js';
import { leavesOf, optionsFrom } from '../schemas/option-tree.js';
import { fileVariableOf, secretVariablesOf } from './secret-files.js';
import { ChallengeModuleVariables, PresetVariables, StoreVariables } from './variables.js';

type Leaves<P extends TProperties, Path extends string> = {
  [K in keyof P & string]: P[K] extends TObject<infer Inner>
    ? Leaves<Inner, `${Path}_${Uppercase<K>}`>
    : { [Name in `${Path}_${Uppercase<K>}`]: P[K] };
}[keyof P & string];
type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (whole: infer I) => void
  ? I
  : never;
type Flat<T> = { [K in keyof T]: T[K] };

/** Variables and their schemas, by name. */
type CaptchaVariables = Flat<Intersection<Leaves<(typeof CaptchaOptions)['properties'], 'CAPTCHA'>>>;

/** The properties to spread into the schema of a service's environment. */
export const captchaVariables = Object.fromEntries(
  leavesOf(CaptchaOptions).map(({ path, schema }): [string, TSchema] => [variableOf(path.join('.')), schema]),
) as CaptchaVariables;

/** Returns the variable of the option at this path. */
export function variableOf(path: string): string {
  return `CAPTCHA_${path.replaceAll('.', '_').toUpperCase()}`;
}

/** Returns the frozen options from the variables' values; missing ones have their defaults. */
export function captchaOptionsFrom(values: Readonly<Record<string, unknown>>): CaptchaOptions {
  return optionsFrom(CaptchaOptions, ({ path }) => values[variableOf(path.join('.'))]) as CaptchaOptions;
}

/** Returns a line for each conflict between `CAPTCHA_` variables. */
export function checkCaptchaVariables(values: Readonly<Record<string, unknown>>): string[] {
  return checkCaptchaOptions(captchaOptionsFrom(values), variableOf);
}

const KNOWN = { ...captchaVariables, ...StoreVariables, ...ChallengeModuleVariables, ...PresetVariables };
const KNOWN_NAMES = new Set([
  ...Object.keys(KNOWN),
  ...secretVariablesOf(Type.Object(KNOWN)).map(fileVariableOf),
]);

/**
 * Returns a line for each set but unknown `CAPTCHA_` variable: a misspelt option would silently have its default. Both
 * services share an environment, so each knows the variables of the other.
 */
export function unknownCaptchaVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('CAPTCHA_') && (env[name] ?? '') !== '' && !KNOWN_NAMES.has(name))
    .sort()
    .map((name) => `${name} is not known: no variable of the challenges has this name`);
}
