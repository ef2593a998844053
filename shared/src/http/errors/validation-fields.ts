// Turns what the schema validator found into messages per field.

import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { FieldMessage } from './errors.js';

const LONGEST_NAME = 64;

/** Most fields that an answer names: a body may have thousands that are not known. */
export const MOST_FIELDS = 20;

/**
 * The first 20 fields that are wrong, and how: for each the first that was found. A missing or unknown property is named itself; a nested one by its path
 * with dots; a body or query that is wrong as a whole by `whole`.
 */
export function fieldsOf(
  found: readonly FastifySchemaValidationError[],
  whole: string,
): Record<string, FieldMessage[]> {
  const fields = new Map<string, FieldMessage[]>();
  for (const error of found) {
    const name = (fieldName(error) || whole).slice(0, LONGEST_NAME);
    if (!fields.has(name)) fields.set(name, [messageOf(error)]);
    if (fields.size === MOST_FIELDS) break;
  }
  return Object.fromEntries(fields);
}

function fieldName({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') path.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  return path.join('.');
}

function messageOf({ keyword, params }: FastifySchemaValidationError): FieldMessage {
  switch (keyword) {
    case 'required':
      return 'required';
    case 'type':
      return 'type';
    case 'minLength':
      // A form sends an empty text for a field that was not filled in.
      return params.limit === 1 ? 'required' : { key: 'too_short', params: { limit: Number(params.limit) } };
    case 'maxLength':
      return { key: 'too_long', params: { limit: Number(params.limit) } };
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return 'out_of_range';
    case 'additionalProperties':
      return 'unknown_field';
    default:
      return 'malformed';
  }
}
