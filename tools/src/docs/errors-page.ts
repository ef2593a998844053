// Generates docs/errors.md from the error classes in the code.
import { errorCodes, gatewayCodes } from './error-codes.js';

const senderNames: Readonly<Record<string, string>> = {
  'challenge-service': 'challenge',
  'session-service': 'session',
  guard: 'guard',
  'bearer-guard': 'bearer guard',
};

/** The text of the page. */
export function errorsPage(): string {
  return `# Error codes

<!-- Written by \`npm run docs\` from the classes in the code. Do not edit. -->

Every answer with a status of 400 or more has this body, and \`Cache-Control: no-store\`:

\`\`\`json
{ "message": "for people, in the language of Accept-Language", "code": "for_programs" }
\`\`\`

A 422 about single fields also has \`errors\`, an object with a list of texts for each field. The answers of \`POST /login\` and
of guarded routes may say \`captcha_required\`, \`pow_scope\` and \`captcha_alternatives\` too. \`message\` and the texts in \`errors\` exist in English, French and
Arabic and may change; \`code\` does not.

*Sent by* names the challenge service, the session service (both on either port), and the two guards in an application of yours.
\`POST /host/verify\` names the codes of failed challenges (\`pow_…\`, \`captcha_…\`) in an answer of 200, for its host to send.
What the two guards refuse has this form in any case. An application that registers \`http/error-handler.js\` sends the codes of that
plugin as well.

| Code | Status | Meaning | Sent by | Message in English |
|---|---|---|---|---|
${errorCodes().map(row).join('\n')}

The local gateway of \`npm start\` sends these by itself, in English:

| Code | Status |
|---|---|
${gatewayCodes()
  .map(({ code, status }) => `| \`${code}\` | ${status} |`)
  .join('\n')}

What is refused before there is a request (a header that never ends, a line that is not HTTP) gets this body too, in English:
\`bad_request\`, \`request_timeout\` or \`header_too_large\`. The local gateway sends the same.
`;
}

function row({ code, status, meaning, senders, text }: ReturnType<typeof errorCodes>[number]): string {
  const names = senders.map((sender) => senderNames[sender]).join(', ');
  return `| \`${code}\` | ${status} | ${meaning} | ${names} | ${text} |`;
}
