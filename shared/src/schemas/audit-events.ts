// The events of the audit stream: the schema of each line, which is also its type and its documentation.

import { type Static, type TProperties, Type } from '@sinclair/typebox';

/** Raised if a field changes its meaning or is removed, not for new fields and events. */
export const AUDIT_VERSION = 1;

const keyed = (description: string) => Type.String({ pattern: '^[0-9a-f]{32}$', description });
const address = Type.Optional(
  keyed('Keyed address of the client: 128 bits of HMAC-SHA256; absent when there is no valid address'),
);
const account = keyed(
  'Keyed name of the account, the same as in the keys of the store; for accounts that exist and that do not alike',
);
const request = Type.Optional(
  Type.String({ description: 'Id of the request, `reqId` of its other lines of log' }),
);
const sid = Type.String({ pattern: '^[0-9A-Za-z]+$', description: 'Session id' });
const uid = Type.Integer({ minimum: 0, description: 'User id' });
const application = Type.String({
  description: 'Application whose form it was: `login`, or the name of a key of the host API',
});
const count = Type.Integer({ minimum: 1, description: 'How many' });
const oneOf = <T extends string>(description: string, ...values: T[]) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

const SESSION = ['session-service'] as const;
const CHALLENGE = ['challenge-service'] as const;
const BOTH = ['session-service', 'challenge-service'] as const;
type ServiceName = (typeof BOTH)[number];

const binding =
  'How the session is bound: `key` by proofs of the page, `dbsc` by the browser itself, `none` not yet';
const ofBinding = { address, uid, sid, kind: oneOf(binding, 'none', 'key', 'dbsc'), request };

const event = <Name extends string, Service extends ServiceName, Fields extends TProperties>(
  name: Name,
  services: readonly Service[],
  description: string,
  fields: Fields,
) =>
  Type.Object(
    {
      type: Type.Literal('audit', { description: 'Tells these lines from those of the log' }),
      version: Type.Literal(AUDIT_VERSION, { description: 'Version of this shape' }),
      time: Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        description: "Time on the service's clock, ISO 8601 in UTC",
      }),
      service: oneOf('Service that wrote it', ...services),
      event: Type.Literal(name, { description: 'Name of the event' }),
      ...fields,
    },
    { $id: name, additionalProperties: false, description, services },
  );

/** Every event by its name. */
export const AuditEvents = {
  login: event('login', SESSION, 'A log-in succeeded', { account, address, uid, sid, request }),
  login_failed: event('login_failed', SESSION, 'The password was wrong, or there is no such account', {
    account,
    address,
    request,
  }),
  login_throttled: event('login_throttled', SESSION, 'An account had to wait at this address', {
    account,
    address,
    request,
  }),
  refresh_reuse_detected: event(
    'refresh_reuse_detected',
    SESSION,
    'An old refresh token came back; its session was ended. A stolen cookie, or a client that stored one',
    { address, uid, sid, request },
  ),
  refresh_bound: event('refresh_bound', SESSION, 'A session was bound to a key of its device', ofBinding),
  refresh_binding_missing: event(
    'refresh_binding_missing',
    SESSION,
    'A refresh did not show the key of its session and was refused; the session goes on. A stolen cookie, or a browser that has lost its key',
    ofBinding,
  ),
  refresh_binding_failed: event(
    'refresh_binding_failed',
    SESSION,
    'A request was signed with another key than that of its session, which was ended. A stolen cookie, or a client that has replaced its key',
    ofBinding,
  ),
  state_rollback: event(
    'state_rollback',
    SESSION,
    'A refresh token is newer than the store: a fail-over has lost a write',
    { address, uid, sid, request },
  ),
  logout: event('logout', SESSION, 'A session was ended by its owner', { address, uid, sid, request }),
  revoke: event('revoke', SESSION, 'A session was ended by something else than a log-out', {
    address,
    uid,
    sid,
    reason: oneOf(
      'What ended it, in the words of the command that explains an ending',
      'revoked',
      'others_revoked',
      'login',
      'admin',
      'user_gone',
      'interrupted',
      'evicted',
    ),
    request,
  }),
  challenge_refused: event(
    'challenge_refused',
    BOTH,
    'A submission came with wrong work or a wrong answer. Forms that are incomplete, and work that has become too cheap, are ordinary and make no event',
    {
      application,
      code: oneOf('Code of the answer', 'pow_invalid', 'captcha_invalid'),
      reason: oneOf(
        'Why: `spent` was used before, `unknown` was never issued here or has expired, `wrong` is no solution, `too_soon` came faster than a person types, `other_address` was issued to another address',
        'spent',
        'unknown',
        'wrong',
        'too_soon',
        'other_address',
      ),
      account: Type.Optional(account),
      address,
    },
  ),
  host_key_refused: event('host_key_refused', CHALLENGE, 'The host API was called without a right key', {
    address,
    request,
  }),
  api_key_refused: event(
    'api_key_refused',
    SESSION,
    'The admin port of session-service was called without the right `SESSION_API_KEY`',
    { address, request },
  ),
  service_started: event('service_started', BOTH, 'A process of the service listens', {
    keys: Type.Record(Type.String(), Type.Array(Type.String({ pattern: '^[0-9a-f]{8}$' })), {
      description:
        'Key ids of each list of secrets that it uses, the first makes new tokens; ids that differ from the start before are a changed key',
    }),
    options: Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'Hash of the `CAPTCHA_*` options; another one than before is a changed option',
    }),
  }),
  test_mode_on: event(
    'test_mode_on',
    BOTH,
    'The service started with `CAPTCHA_TEST_MODE=true`: answers of challenges are told to everybody',
    {},
  ),
  events_suppressed: event(
    'events_suppressed',
    BOTH,
    'An event that strangers can cause came too often within a minute; what was not written any more is counted here',
    {
      suppressed: Type.String({ description: 'Name of the event that was not written' }),
      count,
      since: Type.String({ description: 'Time of the first that was not written, ISO 8601 in UTC' }),
      accounts: Type.Array(Type.Object({ account, count }), {
        maxItems: 10,
        description: 'The accounts that most of them were about, the most frequent first',
      }),
    },
  ),
  audit_lost: event(
    'audit_lost',
    BOTH,
    'Events could not be written, for instance to a full disk; written once it works again',
    {
      count,
    },
  ),
} as const;

/** Names of all events. */
export type AuditName = keyof typeof AuditEvents;

/** A line of the stream. */
export type AuditLine = { [Name in AuditName]: Static<(typeof AuditEvents)[Name]> }[AuditName];

type WithoutHead<Line> = Line extends unknown ? Omit<Line, 'type' | 'version' | 'time' | 'service'> : never;

/** What a caller passes; the audit trail adds the rest. */
export type AuditEntry = WithoutHead<AuditLine>;

/** Returns the names of the events that a service writes. */
export function auditNamesOf(service: ServiceName): AuditName[] {
  return (Object.keys(AuditEvents) as AuditName[]).filter((name) =>
    AuditEvents[name].services.includes(service),
  );
}
