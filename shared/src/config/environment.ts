// Reads the environment into typed values, or reports all mistakes at once.

import { KindGuard, OptionalKind, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ConfigurationError } from '../schemas/configuration-error.js';
import { expectationOf } from '../schemas/expectation.js';
import { readSecret } from './secret-files.js';

export { ConfigurationError };

const LONGEST_SHOWN = 60;

/**
 * Reads the variables of a schema. A property may have the annotations `description`, `default`, `secret: true` (its value
 * is never shown, and may come from the file in `NAME_FILE`) and `expected` (words that follow "must be"). A variable
 * without a default is required unless it is optional. An empty string counts as unset.
 *
 * @param check returns a line for each mistake across variables, beginning with the name of one; it receives only valid
 * values, so any may be missing
 * @throws ConfigurationError with a line per mistake
 */
export function readEnvironment<T extends TObject>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
  check: (values: Partial<Static<T>>) => readonly string[] = () => [],
): Static<T> {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const { text, mistake } = readText(name, property, env);
    if (mistake !== undefined) {
      mistakes.push(mistake);
    } else if (text !== '') {
      const value = convert(property, text);
      if (value !== undefined && Value.Check(property, value)) values[name] = value;
      else mistakes.push(`${name} must be ${expectationOf(property)}${found(property, text)}`);
    } else if (property.default !== undefined) {
      values[name] = property.default;
    } else if (!(OptionalKind in property)) {
      mistakes.push(`${name} is missing: it must be ${expectationOf(property)}`);
    }
  }
  mistakes.push(...check(values as Partial<Static<T>>));
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return values as Static<T>;
}

function readText(name: string, { secret }: TSchema, env: Readonly<Record<string, string | undefined>>) {
  return secret === true ? readSecret(name, env) : { text: env[name] ?? '' };
}

function found(schema: TSchema, text: string): string {
  if (schema.secret === true) return '';
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return `, not ${JSON.stringify(shown)}`;
}

/** Converts a string to the schema's type; returns undefined if it cannot. */
function convert(schema: TSchema, text: string): unknown {
  if (KindGuard.IsBoolean(schema)) return text === 'true' || (text === 'false' ? false : undefined);
  if (KindGuard.IsInteger(schema) || KindGuard.IsNumber(schema)) return convertNumber(text);
  if (KindGuard.IsArray(schema)) {
    const elements = text.split(',').map((element) => element.trim());
    return elements.includes('') ? undefined : elements;
  }
  return text;
}

function convertNumber(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}
