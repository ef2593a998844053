// The events of the audit stream: the schema of each line, which is also its type and its documentation.

import { type Static, Type } from '@sinclair/typebox';
import { bindingEvents } from './audit-binding-events.js';
import { challengeEvents } from './audit-challenge-events.js';
import {
  account,
  address,
  BOTH,
  codeRefusal,
  count,
  event,
  knownDevice,
  oneOf,
  request,
  SESSION,
  type ServiceName,
  sid,
  uid,
} from './audit-fields.js';
import { priceEvents } from './audit-price-events.js';

/** Every event by its name. */
export const AuditEvents = {
  login: event('login', SESSION, 'A log-in succeeded', {
    account,
    address,
    uid,
    sid,
    amr: Type.Optional(
      Type.Array(Type.String(), {
        description: 'With a sign-in code: the authentication methods that the application named',
      }),
    ),
    known_device: knownDevice,
    request,
  }),
  login_failed: event('login_failed', SESSION, 'The password was wrong, or there is no such account', {
    account,
    address,
    known_device: knownDevice,
    request,
  }),
  login_throttled: event('login_throttled', SESSION, 'An account had to wait at this address', {
    account,
    address,
    request,
  }),
  sign_in_code_created: event(
    'sign_in_code_created',
    SESSION,
    'An application asked for a code that signs a user in',
    { address, uid, request },
  ),
  sign_in_code_refused: event(
    'sign_in_code_refused',
    SESSION,
    'A sign-in code was refused, at a log-in or at a step-up',
    {
      address,
      reason: codeRefusal,
      request,
    },
  ),
  reauthenticated: event(
    'reauthenticated',
    SESSION,
    'The user of a session was authenticated again. A wrong password there is `login_failed`, a wait `login_throttled`',
    {
      address,
      uid,
      sid,
      amr: Type.Array(Type.String(), { description: 'Authentication methods; empty if they are not known' }),
      request,
    },
  ),
  password_changed: event(
    'password_changed',
    SESSION,
    'A password was changed by its user or by an application. A wrong old password is `login_failed`',
    {
      address,
      uid,
      sid: Type.Optional(sid),
      by: oneOf('Who changed it: the user of the session `sid`, or an application', 'user', 'application'),
      request,
    },
  ),
  refresh_reuse_detected: event(
    'refresh_reuse_detected',
    SESSION,
    'An old refresh token came back; its session was ended. A stolen cookie, or a client that stored one',
    { address, uid, sid, request },
  ),
  ...bindingEvents,
  ...priceEvents,
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
      'password',
      'user_gone',
      'interrupted',
      'evicted',
    ),
    request,
  }),
  ...challengeEvents,
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
    { count },
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
