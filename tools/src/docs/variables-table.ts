// Formats the variables of a schema as a Markdown table.

import { KindGuard, OptionalKind, type TObject, type TSchema } from '@sinclair/typebox';
import { fileVariableOf } from '@tollgate/shared/config';

/** Returns the rows `| variable | default | meaning |`, one per property, without the header. */
export function variablesTable(schema: TObject): string {
  return Object.entries(schema.properties)
    .map(
      ([name, property]) =>
        `| ${namesOf(name, property)} | ${defaultOf(property)} | ${meaningOf(property)} |`,
    )
    .join('\n');
}

function namesOf(name: string, { secret }: TSchema): string {
  return secret === true ? `\`${name}\`, \`${fileVariableOf(name)}\`` : `\`${name}\``;
}

function defaultOf(schema: TSchema): string {
  if (typeof schema.shownDefault === 'string') return escapeCell(schema.shownDefault);
  if (schema.default !== undefined) return `\`${escapeCell(String(schema.default))}\``;
  return OptionalKind in schema ? 'none' : 'required';
}

function meaningOf(schema: TSchema): string {
  const choices = KindGuard.IsUnion(schema)
    ? ` (${schema.anyOf.map((item) => `\`${item.const}\``).join(', ')})`
    : '';
  return escapeCell(`${schema.description ?? ''}${choices}`);
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
