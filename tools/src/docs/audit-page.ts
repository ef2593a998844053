// Generates docs/audit.md, the format of every audit stream line, from the event schemas.
import { KindGuard, OptionalKind, type TSchema } from '@sinclair/typebox';
import { LIMITED_EVENTS, MOST_LINES } from '@tollgate/shared/audit';
import { AUDIT_VERSION, AuditEvents } from '@tollgate/shared/schemas';

const HEAD = ['type', 'version', 'time', 'service', 'event'];
const events = Object.values(AuditEvents);

/** The text of the page. */
export function auditPage(): string {
  return `# Audit stream

<!-- Written by \`npm run docs\` from the schemas in the code. Do not edit. -->

Both services write each security event as one JSON line:

\`\`\`json
{"type":"audit","version":${AUDIT_VERSION},"time":"2026-08-10T15:05:28.417Z","service":"session-service","event":"login_failed","account":"90cdfd5c4b1e6f0a8d7b2c3e4f506172","address":"5b8c1f0e9a7d42365b8c1f0e9a7d4236","request":"req-3f"}
\`\`\`

At any \`LOG_LEVEL\`, these lines go to the standard output, between those of the log, or to the file \`AUDIT_LOG\`. None holds a secret, email address or network address. Accounts and addresses are pseudonyms under the first element of \`CHALLENGE_SECRET\`; [\`session account\`](operations/investigate.md#account-history) prints an account's.

## The file

- **Location**: the folder of \`AUDIT_LOG\` must exist, in a container on a volume. If the file cannot be opened, the service does not start. New files have mode 0600. Both services may share one.
- **Rotation**: rename or remove it, without a signal; \`copytruncate\` works too. In logrotate use \`create 0600\` and the service's user.
- **\`AUDIT_LOG_DAYS\`** replaces a rotation program: each day in UTC, the first line renames the file of the day before to \`AUDIT_LOG.YYYY-MM-DD.xxxx\`, and files older than that many days are removed. Give both services the same value. A link or a device is neither rotated nor removed. For a limit by size, add a rotation program.
- **Erasure**: a line with \`"erased":true\` lacks the fields of [an erased person](personal-data.md#answer-an-erasure-request).
- **Full disk**: requests continue. The log says \`security events cannot be written\` once, \`tollgate_audit_lost_total\` counts the lines, and \`audit_lost\` follows when writing works again.
- **Floods**: each process writes events marked † at most ${MOST_LINES} times a minute, and summarises the rest in \`events_suppressed\`. \`tollgate_audit_events_total\` counts all.

## Events

Every line has these fields:

${headRows()}

† limited, ? may be absent:

| Event | Written by | When | Further fields |
|---|---|---|---|
${events.map(eventRow).join('\n')}

## Fields

${fieldRows()}
`;
}

type Event = (typeof events)[number];

const furtherFields = ({ properties }: Event): [string, TSchema][] =>
  Object.entries(properties).filter(([name]) => !HEAD.includes(name));

function eventRow(event: Event): string {
  const fields = furtherFields(event).map(
    ([name, schema]) => `\`${name}\`${OptionalKind in schema ? '?' : ''}`,
  );
  const { services, description } = event;
  const id = event.properties.event.const;
  const name = `\`${id}\`${LIMITED_EVENTS.has(id) ? '†' : ''}`;
  const writer = services.length > 1 ? 'both' : services.join().replace('-service', '');
  return `| ${name} | ${writer} | ${description} | ${fields.join(', ')} |`;
}

/** One item for each field; events share an item if the field has the same meaning. */
function fieldRows(): string {
  const meanings = new Map<string, { name: string; schema: TSchema; events: string[] }>();
  for (const event of events) {
    for (const [name, schema] of furtherFields(event)) {
      const key = `${name} ${schema.description}`;
      const found = meanings.get(key) ?? { name, schema, events: [] };
      found.events.push(`\`${event.$id}\``);
      meanings.set(key, found);
    }
  }
  return [...meanings.values()]
    .map(({ name, schema, events: where }) => {
      const places = where.length > 3 ? '' : ` in ${where.join(', ')}`;
      return `- \`${name}\`${places}: ${schema.description}${valuesOf(schema)}`;
    })
    .join('\n');
}

function headRows(): string {
  return Object.entries(AuditEvents.service_started.properties)
    .filter(([name]) => HEAD.includes(name))
    .map(([name, schema]) => `- \`${name}\`: ${schema.description}${valuesOf(schema)}`)
    .join('\n');
}

function valuesOf(schema: TSchema): string {
  if (!KindGuard.IsUnion(schema)) return '';
  const values = schema.anyOf.flatMap(({ const: value }) => (value === undefined ? [] : [`\`${value}\``]));
  return values.length === 0 || values.some((value) => schema.description?.includes(value))
    ? ''
    : ` (${values.join(', ')})`;
}
