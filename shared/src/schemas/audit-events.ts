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
  login: event('login', SESSION, 'Login', {
    account,
    address,
    uid,
    sid,
    amr: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Authentication methods of a sign-in code',
      }),
    ),
    known_device: knownDevice,
    request,
  }),
  login_failed: event('login_failed', SESSION, 'Wrong password or unknown account', {
    account,
    address,
    known_device: knownDevice,
    request,
  }),
  login_throttled: event('login_throttled', SESSION, 'The account must wait at this address', {
    account,
    address,
    request,
  }),
  sign_in_code_created: event('sign_in_code_created', SESSION, 'An application requested a sign-in code', {
    address,
    uid,
    request,
  }),
  sign_in_code_refused: event(
    'sign_in_code_refused',
    SESSION,
    'A sign-in code was rejected, at a login or step-up',
    {
      address,
      reason: codeRefusal,
      request,
    },
  ),
  reauthenticated: event(
    'reauthenticated',
    SESSION,
    'Step-up; its failures are `login_failed` and `login_throttled`',
    {
      address,
      uid,
      sid,
      amr: Type.Array(Type.String(), { description: 'Authentication methods; empty if unknown' }),
      request,
    },
  ),
  password_changed: event(
    'password_changed',
    SESSION,
    'Password change; a wrong old password is `login_failed`',
    {
      address,
      uid,
      sid: Type.Optional(sid),
      by: oneOf('`user` of the session `sid`, or `application`', 'user', 'application'),
      request,
    },
  ),
  refresh_reuse_detected: event(
    'refresh_reuse_detected',
    SESSION,
    'An old refresh token came back, and its session ended: a stolen cookie, or a client that stored one',
    { address, uid, sid, request },
  ),
  ...bindingEvents,
  ...priceEvents,
  state_rollback: event(
    'state_rollback',
    SESSION,
    'A refresh token is newer than the store: a failover lost a write',
    { address, uid, sid, request },
  ),
  logout: event('logout', SESSION, 'Logout by the owner', { address, uid, sid, request }),
  revoke: event('revoke', SESSION, 'A session ended otherwise', {
    address,
    uid,
    sid,
    reason: oneOf(
      'Cause, as in `session why`',
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
  person_erased: event('person_erased', SESSION, "A person's data was erased; the event names nobody", {
    sessions: Type.Integer({ minimum: 0, description: 'Number of ended sessions' }),
    lines: Type.Integer({ minimum: 0, description: 'Number of lines of `AUDIT_LOG` without the person now' }),
    request,
  }),
  ...challengeEvents,
  api_key_refused: event('api_key_refused', SESSION, 'Missing or wrong `SESSION_API_KEY` on the admin port', {
    address,
    request,
  }),
  service_started: event('service_started', BOTH, 'A process listens', {
    keys: Type.Record(Type.String(), Type.Array(Type.String({ pattern: '^[0-9a-f]{8}$' })), {
      description: 'Key ids of each list of secrets, the first in use; different ids mean a changed key',
    }),
    options: Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'Hash of the `CAPTCHA_*` options',
    }),
  }),
  test_mode_on: event(
    'test_mode_on',
    BOTH,
    'Started with `CAPTCHA_TEST_MODE=true`: everybody can read the answers of challenges',
    {},
  ),
  events_suppressed: event('events_suppressed', BOTH, 'Summary of unwritten events of a minute', {
    suppressed: Type.String({ description: 'Name of the event' }),
    count,
    since: Type.String({ description: 'Time of the first' }),
    accounts: Type.Array(Type.Object({ account, count }), {
      maxItems: 10,
      description: 'Most frequent accounts with counts',
    }),
  }),
  audit_lost: event('audit_lost', BOTH, 'Events were lost, for example to a full disk', { count }),
} as const;

/** Names of all events. */
export type AuditName = keyof typeof AuditEvents;

/** A line of the stream. */
export type AuditLine = { [Name in AuditName]: Static<(typeof AuditEvents)[Name]> }[AuditName];

type WithoutHead<Line> = Line extends unknown ? Omit<Line, 'type' | 'version' | 'time' | 'service'> : never;

/** A caller's input; the audit trail adds the rest. */
export type AuditEntry = WithoutHead<AuditLine>;

/** Returns the names of the events that a service writes. */
export function auditNamesOf(service: ServiceName): AuditName[] {
  return (Object.keys(AuditEvents) as AuditName[]).filter((name) =>
    AuditEvents[name].services.includes(service),
  );
}
