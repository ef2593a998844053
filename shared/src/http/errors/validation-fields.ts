// Turns validation errors into messages per field.

import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { FieldMessage } from './errors.js';

const MAX_NAME_CHARACTERS = 64;

/** Most fields in a response: a body may have thousands of unknown ones. */
const MAX_FIELDS = 20;

/**
 * Returns the first 20 invalid fields, each with its first error. A missing or unknown property has its own name, a nested
 * one its path with dots, and an invalid body or query the name `whole`.
 */
export function fieldsOf(
  errors: readonly FastifySchemaValidationError[],
  whole: string,
): Record<string, FieldMessage[]> {
  const fields = new Map<string, FieldMessage[]>();
  for (const error of errors) {
    const name = (fieldName(error) || whole).slice(0, MAX_NAME_CHARACTERS);
    if (!fields.has(name)) fields.set(name, [messageOf(error)]);
    if (fields.size === MAX_FIELDS) break;
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
      // Forms send an empty string for a field that was not filled in.
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
