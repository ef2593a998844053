// Generates docs/errors.md from the error classes.
import { errorCodes, gatewayCodes } from './error-codes.js';

const senderNames: Readonly<Record<string, string>> = {
  'challenge-service': 'challenge',
  'session-service': 'session',
  guard: 'guard',
  'bearer-guard': 'bearer guard',
};
/** Both services and the guard: too common to repeat in each row. */
const usualSenders = 'challenge, session, guard';

/** The text of the page. */
export function errorsPage(): string {
  return `# Error codes

<!-- Written by \`npm run docs\` from the classes in the code. Do not edit. -->

Responses of the services with a status of 400 or more have this body, and \`Cache-Control: no-store\`:

\`\`\`json
{ "message": "for people, in the language of Accept-Language", "code": "for_programs" }
\`\`\`

- \`message\` exists in [the languages of the form element](client/element.md#languages) and may change; \`code\` does not.
- \`errors\` in a 422 lists texts for each invalid field.
- \`POST /login\` and guarded routes add [the fields of a refusal](challenges/submissions.md#refusals).
- \`POST /host/verify\` returns the codes of failed challenges (\`pow_…\`, \`captcha_…\`) with 200, for its host to send.

Exceptions:

- \`/health/ready\` and \`/health/serving\` return 503 with [their own body](operations/health.md).
- [The gate](gate.md#responses-to-visitors) sends pages to browsers. A [widget's](drop-in.md#widget-errors) frame is a page, also for an unknown site (404) or an unlisted host name (403).
- \`siteverify\` reports failures with 200, in [its own format](drop-in.md#siteverify).
- An application with the guard may [respond itself](challenges/server-rendered.md); otherwise clients that prefer \`text/html\` get a page, and JSON has no \`Cache-Control\`; a body that the framework cannot parse gets the framework's own response.
- 417, for an unknown \`Expect\`, has neither body nor \`Cache-Control\`.

*Sent by* names the services (on both ports) and the guards in your application; by default both services and the guard.

| Code | Status | Meaning | Sent by |
|---|---|---|---|
${errorCodes().map(row).join('\n')}

The local gateway of \`npm start\` sends these, in English:

| Code | Status |
|---|---|
${gatewayCodes()
  .map(({ code, status }) => `| \`${code}\` | ${status} |`)
  .join('\n')}

Input that is no complete HTTP request gets \`bad_request\`, \`request_timeout\` or \`header_too_large\`, in English.
`;
}

function row({ code, status, meaning, senders }: ReturnType<typeof errorCodes>[number]): string {
  const names = senders.map((sender) => senderNames[sender]).join(', ');
  return `| \`${code}\` | ${status} | ${meaning} | ${names === usualSenders ? '' : names} |`;
}
