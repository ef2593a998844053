// Generates docs/audit.md, the form of every line of the audit stream, from the schemas of the events.
import { KindGuard, OptionalKind, type TSchema } from '@sinclair/typebox';
import { LIMITED_EVENTS, MOST_LINES } from '@tollgate/shared/audit/flood-gate.js';
import { AuditEvents } from '@tollgate/shared/schemas/audit-events.js';
import { AUDIT_VERSION } from '@tollgate/shared/schemas/audit-fields.js';

const HEAD = ['type', 'version', 'time', 'service', 'event'];
const events = Object.values(AuditEvents);

/** The text of the page. */
export function auditPage(): string {
  return `# Audit stream

<!-- Written by \`npm run docs\` from the schemas in the code. Do not edit. -->

Both services write a line for every security event: one JSON object, whatever \`LOG_LEVEL\` is. By default the lines go to the standard output, between those of the log; only they have \`"type":"audit"\`. With \`AUDIT_LOG\` they are appended to that file instead.
No line holds a password, token, cookie, answer, e-mail address or network address. Accounts and addresses are keyed hashes (128 bits of HMAC-SHA256 under the first element of \`CHALLENGE_SECRET\`): the same account has the same value as long as that stays.

\`\`\`json
{"type":"audit","version":${AUDIT_VERSION},"time":"2026-08-10T15:05:28.417Z","service":"session-service","event":"login_failed","account":"90cdfd5c4b1e6f0a8d7b2c3e4f506172","address":"5b8c1f0e9a7d42365b8c1f0e9a7d4236","request":"req-3f"}
\`\`\`

To find the account behind a name, or the name of an account: \`npm run -s session -- account you@example.com\` prints it, with [what the store knows of the account](operations.md#what-happened-to-an-account).

## The file

\`AUDIT_LOG\` is the path of a file; its folder must exist, in a container on a volume. A file that cannot be opened stops the start with one line. The service makes it with mode 0600 and leaves the mode of one that is there; both services may append to the same file.
**Rotation**: rename or remove the file; the next line opens a new one. No signal is needed, and \`copytruncate\` works too. For logrotate, \`create 0600\` and the user of the service.

**A full disk** stops nothing: requests go on, the log says \`security events cannot be written\` once, \`tollgate_audit_lost_total\` counts the lines, and the first line that can be written again is followed by \`audit_lost\` with their number.

**Floods**: what can be caused without end, by strangers or with one refresh cookie (${[...LIMITED_EVENTS].map((name) => `\`${name}\``).join(', ')}) is written ${MOST_LINES} times a minute for each process and event. The rest of the minute is counted, and summed up in one line \`events_suppressed\` with the accounts that most of it was about.
\`tollgate_audit_events_total\` counts all of them, written or not.

## Events

Every line has these fields. \`version\` is raised when a field changes its meaning or goes; readers ignore fields and events that they do not know. A field with \`?\` may be absent.

| Field | Meaning |
|---|---|
${headRows()}

| Event | Written by | When | Further fields |
|---|---|---|---|
${events.map(eventRow).join('\n')}

| Field | In | Meaning |
|---|---|---|
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
  const { $id, services, description } = event;
  return `| \`${$id}\` | ${services.join(', ')} | ${description} | ${fields.join(', ')} |`;
}

/** One row for each field; events in which it means the same share the row. */
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
      const places = where.length > 3 ? `${where.length} events` : where.join(', ');
      return `| \`${name}\` | ${places} | ${schema.description}${valuesOf(schema)} |`;
    })
    .join('\n');
}

function headRows(): string {
  return Object.entries(AuditEvents.service_started.properties)
    .filter(([name]) => HEAD.includes(name))
    .map(([name, schema]) => `| \`${name}\` | ${schema.description}${valuesOf(schema)} |`)
    .join('\n');
}

function valuesOf(schema: TSchema): string {
  if (!KindGuard.IsUnion(schema)) return '';
  const values = schema.anyOf.flatMap(({ const: value }) => (value === undefined ? [] : [`\`${value}\``]));
  return values.length === 0 || values.some((value) => schema.description?.includes(value))
    ? ''
    : ` (${values.join(', ')})`;
}
