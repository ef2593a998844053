// Finds the settings of a call of `POST /host/verify` that do not exist: a misspelt one would count nothing.

import type { FieldNames } from '@tollgate/shared/challenges';

/** Limits on the returned names: their number, and their characters. */
const MOST_NAMES = 20;
const MOST_CHARACTERS = 64;

/** Shorter names differ from too many words by one letter. */
const LEAST_CHARACTERS = 5;

/**
 * Returns the unknown settings in a body. With `submission`, every other property is a setting. Without it the body is a
 * whole form with fields of any name: only misspelt settings (`minDifficulty`, `cuont`) are returned, and an object that
 * holds the challenge fields.
 * @param settings the names of all settings
 */
export function unknownSettings(
  body: object,
  settings: readonly string[],
  { pow, image }: FieldNames,
): string[] {
  const names = [...Object.values(pow), ...Object.values(image)];
  const others = Object.entries(body).filter(([name]) => !settings.includes(name));
  const isUnknown =
    'submission' in body
      ? () => true
      : ([name, value]: [string, unknown]) =>
          !names.includes(name) && (isMisspelt(name, value, settings) || holdsAny(value, names));
  return others
    .filter(isUnknown)
    .slice(0, MOST_NAMES)
    .map(([name]) => name.slice(0, MOST_CHARACTERS));
}

/** Form fields are strings, so a string is no setting merely because of one letter. */
function isMisspelt(name: string, value: unknown, settings: readonly string[]): boolean {
  if (settings.some((setting) => plain(setting) === plain(name))) return true;
  return typeof value !== 'string' && settings.some((setting) => isOneLetterApart(setting, name));
}

function isOneLetterApart(setting: string, name: string): boolean {
  if (setting.length < LEAST_CHARACTERS) return false;
  let at = 0;
  while (at < setting.length && setting[at] === name[at]) at += 1;
  const [rest, other] = [setting.slice(at), name.slice(at)];
  const isSwapped = rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2);
  return isSwapped || rest.slice(1) === other.slice(1) || rest.slice(1) === other || rest === other.slice(1);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

function holdsAny(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.some((name) => Object.hasOwn(value, name));
}
