// Generates docs/personal-data.md: its tables come from the export's explanations, the store keys and the cookies in the code.
import { passCookieName } from '@tollgate/challenge-service/extensions/gate/pass-cookie.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { boundCookieName } from '@tollgate/session-service/domain/binding/device-proof.js';
import { cookieName } from '@tollgate/session-service/domain/presented-cookies.js';
import { EXPLANATIONS } from '@tollgate/session-service/person/explanations.js';
import type { PartName } from '@tollgate/session-service/person/person-bodies.js';
import type { PersonSettings } from '@tollgate/session-service/person/person-places.js';
import { pageCookieName } from '@tollgate/session-service/plugins/page-cookie.js';
import {
  CODE_PREFIX,
  deviceVoidKey,
  endNotesKey,
  KNOWN_USERS_KEY,
  loginsKey,
  READY_KEY,
} from '@tollgate/session-service/stores/session-keys.js';
import { challengeKeys, configFingerprintKey, readyKey } from '@tollgate/shared/challenges';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { REVOCATION_LOG_KEY, userSessionsKey } from '@tollgate/shared/sessions';
import { KEY_RECORD_KEY, loadKeys } from '@tollgate/shared/store';

const captcha = resolveCaptchaOptions();
const { prefix } = captcha.cache;
const keys = challengeKeys(prefix, () => '<tag>');
const ofSite = challengeKeys(prefix, () => '<tag>', '<site>');
// Its first two characters are the slot.
const token = '\0\0<token>';
const shown = (key: string) => `\`${key.replaceAll('\0\0', '<tag>')}\``;
const [address, account] = ['<address>', '<account>'];

/** The places of each part of the export. */
const PLACES: Readonly<Record<PartName, readonly string[]>> = {
  directory: ['[directory](operations/directory.md): `users.db`, your database or module'],
  sessions: [shown(userSessionsKey('<uid>'))],
  ended_sessions: [shown(endNotesKey('<uid>'))],
  device_void: [shown(deviceVoidKey('<uid>'))],
  sign_in_codes: [shown(`${CODE_PREFIX}<code>`)],
  account_events: [shown(loginsKey(account)), shown('session:failures:{<bucket>}')],
  failure_counters: [shown(keys.failures(account)), shown(keys.wait(account, address))],
  directory_check: [shown(KNOWN_USERS_KEY)],
  audit_log: ['`AUDIT_LOG`, otherwise standard output'],
};

/** Keys that lead to no account: by keyed address, session id or random token. */
const BY_ADDRESS = [
  keys.pow(token),
  keys.image(token),
  keys.volume(address),
  keys.price(address),
  keys.limit('pow', address),
  keys.limit('image', address),
  ...['png', 'gate', 'no-script'].map((name) => `${prefix}:limit:${name}:${address}`),
  keys.cleared(address),
  ofSite.pow(token),
  ofSite.image(token),
  ofSite.receipt(token),
  ofSite.volume(address),
  ofSite.limit('pow', address),
  ofSite.limit('image', address),
  'session:limit:login:<address>',
].map(shown);

const WITHOUT_PERSON = [
  keys.passes,
  keys.passUses('<pass>'),
  keys.passClaim('<pass>', '<claim>'),
  configFingerprintKey(prefix),
  ...Object.values(loadKeys(prefix)),
  readyKey(prefix),
  KEY_RECORD_KEY,
  READY_KEY,
].map(shown);

/** The text of the page. */
export function personalDataPage(): string {
  return `# Personal data

<!-- Written by \`npm run docs\` from the code. Do not edit. -->

Tollgate stores only data for logging people in, keeping them logged in and slowing attacks down, each with a time limit, and sends nothing to third parties. You are the controller; this page is the technical part of your records.

## Answer an access request

\`\`\`sh
npm run -s person -- export you@example.com > person.json
\`\`\`

The document has everything below of one person, with purpose and retention; \`elsewhere\` lists data that it cannot contain. Verify the identity of the requester first. In a container, or over the admin port:

\`\`\`sh
docker compose exec -T session-service node services/session-service/dist/src/cli/person.js export you@example.com
curl -s http://127.0.0.1:9001/person/export -H "authorization: Bearer $SESSION_API_KEY" -H 'content-type: application/json' -d '{"email":"you@example.com"}'
\`\`\`

## Answer an erasure request

\`\`\`sh
npm run -s person -- erase you@example.com
\`\`\`

It ends the sessions within a second, deletes the account, erases every part below, rewrites the database files, and prints the number of erased entries and the places that still hold data. \`POST /person/erase\` does the same.

- After a [rotation of \`CHALLENGE_SECRET\`](operations/rotate-keys.md), append the old key for both commands while older events and audit lines are kept. Without it, failed logins from before the rotation are not found.
- Repeat it after an error or a restored backup: the second time it finds nothing, and the command ends with 3, as for a misspelt address.
- Both commands search all keys, for some seconds per million. Only the rewrite of an embedded store's file stops requests, a second per 100 MB.
- **Deleted users**: use the id. An address finds users deleted within \`AUDIT_TTL\`.
- **PostgreSQL or a module**: Tollgate deletes no row there. Delete the account first, then erase by id. Until then its failure counters and the void of its devices stay, because they protect it: if you have erased before, repeat it by id and by address.
- **Guarded applications**: add \`--application NAME\` for their counters and audit lines of the same address.
- **The audit stream keeps its lines without the person**, because deleted lines would hide attacks: in \`AUDIT_LOG\` and rotated files, spaces replace \`account\`, \`uid\`, \`sid\`, \`request\` and, unless somebody else may have caused the event, \`address\`; the line gets \`"erased":true\`. The event \`person_erased\` names nobody.

## What is stored of a person

Retention is that of the defaults:

| Part | Data | Place | Purpose | Retention |
|---|---|---|---|---|
${partRows()}

Keyed hashes are HMAC-SHA256: without \`CHALLENGE_SECRET\` nobody can link them to an address or account.

## What is stored without an account

- **By keyed network address**, or under a random token: challenges, their prices and rate limits, at most 24 hours. A challenge requested for an account also has its keyed hash, for minutes: ${BY_ADDRESS.join(', ')}.
- **By session id**: ended sessions, so that their access tokens are rejected, \`ACCESS_TTL\` and a minute: ${shown(REVOCATION_LOG_KEY)}.
- **No person**: ${WITHOUT_PERSON.join(', ')}.

[Store keys](store-keys.md) has values and lifetimes.

## In the browser

| Name | Kind | Content | Purpose | Lifetime |
|---|---|---|---|---|
| \`${cookieName(undefined)}\` | cookie | encrypted: user id, session id | keeps the person logged in | \`REFRESH_TTL\`; the browser session with \`"remember": false\` |
| \`knownDevice\` | cookie | encrypted: session id, hash of account and password | spares a known browser additional checks | \`DEVICE_TTL\`, until voided |
| \`${boundCookieName(undefined)}\` | cookie | session id, key hash, signed | [device binding](sessions/device-binding.md) | \`BOUND_COOKIE_TTL\` |
| \`${pageCookieName('https://example.com')}\` | cookie | user id, email, session id, claims; encrypted, or readable with \`ACCESS_TOKEN_FORMAT=public\` | with \`PAGE_COOKIE\`, [tells rendering servers the user](sessions/server-rendering.md) | \`ACCESS_TTL\` |
| \`${passCookieName('https:')}\` | cookie | encrypted: site, network | [the gate](gate.md) | pass lifetime |
| \`tollgate:\` and the service address | \`localStorage\` | hint that a session exists, or that a logout is pending | no failed request for new visitors | logout |
| \`tollgate:nonce:\`, \`tollgate:first-nonce:\` and the address | \`localStorage\` | random number | device binding | logout |
| \`tollgate\` | IndexedDB | a key for each session that no script can read | device binding | logout |
| the session id | key of Chromium browsers with a TPM | a key that no script can read | device binding | logout, or until the cookies are deleted |
| \`tollgate-continue:\` and the address | \`localStorage\`, \`sessionStorage\` | time of a refresh, and the page opened after it | one refresh for all tabs, no endless loop | until replaced; tab |
| \`tollgate-gate\` | \`sessionStorage\` | time and number of passes | no endless loop at the gate | tab |

Cookie names may have the prefix \`__Secure-\` or \`__Host-\`. All cookies are first-party and \`HttpOnly\`, and serve only the stated purpose.

## Logs and others who see data

| Where | Data | Retention |
|---|---|---|
| logs of the services | user ids, session ids, keyed addresses; no email, network address or user agent | yours |
| audit stream | the same, and keyed accounts | \`AUDIT_LOG_DAYS\`, or yours on standard output |
| metrics | none | |
| gateway | network addresses and user agents in access logs | yours |
| backups | everything in the stores | yours |
| administrators of stores and directory, holders of \`SESSION_API_KEY\` | everything above | |

## Store less

| Setting | Effect |
|---|---|
| \`AUDIT_TTL\` | shorter history of logins and ended sessions; 0 stores none |
| \`AUDIT_LOG_DAYS\` | removes old security events |
| \`SESSION_MAX_AGE\`, \`REFRESH_TTL\`, \`MAX_SESSIONS\` | fewer, shorter sessions |
| \`DEVICE_TTL\`, \`DEVICE_COOKIE=asked\` | device cookies live shorter (0: none), or only users who ask for one get it |
| \`REFRESH_BINDING=off\` | no key in the browser |
| [a daily rewrite](operations/redis.md#erased-data) | erased entries leave the disk |
`;
}

function partRows(): string {
  const settings = defaultSettings();
  return (Object.keys(PLACES) as PartName[])
    .map((part) => {
      const { what, why, until } = EXPLANATIONS[part];
      const cells = [`\`${part}\``, what, PLACES[part].join(', '), why, until(settings)];
      return `| ${cells.join(' | ')} |`;
    })
    .join('\n');
}

function defaultSettings(): PersonSettings {
  return {
    auditPath: 'AUDIT_LOG',
    auditDays: undefined,
    auditTtl: defaultOf('AUDIT_TTL'),
    accessTtl: defaultOf('ACCESS_TTL'),
    refreshTtl: defaultOf('REFRESH_TTL'),
    maxAge: defaultOf('SESSION_MAX_AGE'),
    deviceTtl: defaultOf('DEVICE_TTL'),
    cachePrefix: prefix,
    failureDecay: captcha.escalation.decay,
  };
}

function defaultOf(name: keyof typeof SessionEnvironment.properties): number {
  return Number(SessionEnvironment.properties[name].default);
}
