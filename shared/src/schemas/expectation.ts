// Describes the values that a schema accepts.

import { KindGuard, type TSchema } from '@sinclair/typebox';

/**
 * Describes a schema's values in words that follow "must be": `a whole number from 1 to 24`, `true or false`, `one of lax,
 * strict`. The annotation `expected` of a schema replaces them.
 */
export function expectationOf(schema: TSchema): string {
  if (typeof schema.expected === 'string') return schema.expected;
  if (KindGuard.IsUnion(schema)) return `one of ${schema.anyOf.map((item) => item.const).join(', ')}`;
  if (KindGuard.IsLiteral(schema)) return String(schema.const);
  if (KindGuard.IsBoolean(schema)) return 'true or false';
  if (KindGuard.IsInteger(schema)) return `a whole number${rangeOf(schema)}`;
  if (KindGuard.IsNumber(schema)) return `a number${rangeOf(schema)}`;
  if (KindGuard.IsArray(schema)) return 'a comma-separated list without empty elements';
  return `a text${lengthOf(schema)}`;
}

function rangeOf({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of ${minimum} or more`;
  return maximum === undefined ? '' : ` of ${maximum} or less`;
}

function lengthOf({ minLength, maxLength }: TSchema): string {
  if (minLength !== undefined && maxLength !== undefined)
    return ` of ${minLength} to ${maxLength} characters`;
  if (minLength !== undefined) return ` of at least ${minLength} characters`;
  return maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
}
