// Finds probably misspelt variables: a misspelt setting silently has its default.

import type { TObject } from '@sinclair/typebox';
import { fileVariableOf, secretVariablesOf } from './secret-files.js';

/**
 * Returns a line for each set but unknown variable that begins with a prefix of the service or differs from one of its
 * variables by one letter or by two exchanged ones.
 *
 * @param schema the environment of the service
 * @param others prefixes of this service only, and variables with such a prefix that others read
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  schema: TObject,
  { prefixes, known }: { readonly prefixes: readonly string[]; readonly known: readonly string[] },
): string[] {
  const own = [...Object.keys(schema.properties), ...secretVariablesOf(schema).map(fileVariableOf)];
  const all = new Set([...own, ...known]);
  return Object.keys(env)
    .filter((name) => (env[name] ?? '') !== '' && !all.has(name))
    .sort()
    .flatMap((name) => {
      const meant = own.find((each) => differsByOneSlip(name, each));
      if (meant !== undefined) return [`${name} is not known: ${meant} may be meant`];
      return prefixes.some((prefix) => name.startsWith(prefix)) ? [`${name} is not known`] : [];
    });
}

/** Whether one letter was added, left out or replaced, or two neighbours exchanged. */
function differsByOneSlip(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [rest, otherRest] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (rest.length <= 1 && otherRest.length <= 1) return true;
  return rest.length === 2 && rest === [...otherRest].reverse().join('');
}
