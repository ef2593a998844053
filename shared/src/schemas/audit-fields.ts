// The fields of audit events, and those of every event.

import { type TProperties, Type } from '@sinclair/typebox';
import { UserId } from './user-id.js';

/** Raised if a field changes its meaning or is removed, not for new fields and events. */
export const AUDIT_VERSION = 1;

const keyed = (description: string) => Type.String({ pattern: '^[0-9a-f]{32}$', description });
/** The address of the client. */
export const address = Type.Optional(keyed('Keyed client address; absent without a valid one'));
/** The account of an event. */
export const account = keyed('Keyed account, as in the store keys; also for unknown accounts');
/** The request that caused an event. */
export const request = Type.Optional(Type.String({ description: 'Request id, `reqId` in the log' }));
/** A session. */
export const sid = Type.String({ pattern: '^[0-9A-Za-z]+$', description: 'Session id' });
/** A user. */
export const uid = Type.Union(UserId.anyOf, {
  description: 'User id: a number or text',
});
/** Whether the attempt counted for a known device. */
export const knownDevice = Type.Optional(
  Type.Boolean({
    description: 'True if the attempt counted for a known device instead of the account',
  }),
);
/** The application of the form. */
export const application = Type.String({
  description: '`login`, `gate`, or the name of a host API key',
});
/** A number of events. */
export const count = Type.Integer({ minimum: 1, description: 'Number of events' });
/** One of these texts. */
export const oneOf = <T extends string>(description: string, ...values: T[]) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );
/** Why a sign-in code was rejected. */
export const codeRefusal = oneOf(
  '`unknown` (never issued, used or expired), `other_origin`, `other_user` than that of the session, `void` (older than the end of the sessions of its user), `user_gone` (deleted or disabled)',
  'unknown',
  'other_origin',
  'other_user',
  'void',
  'user_gone',
);
/** Why a challenge was rejected. */
export const challengeRefusal = oneOf(
  '`spent`, `unknown` (never issued here, or expired), `wrong`, `too_soon` (faster than a person types), `other_address` (issued to another)',
  'spent',
  'unknown',
  'wrong',
  'too_soon',
  'other_address',
);

/** Why a pass was rejected. */
export const passRefusal = oneOf(
  '`exhausted` (used too often in a minute), `expired`, `other_application`, `wrong` (known name, other secret), `unknown` name',
  'exhausted',
  'expired',
  'other_application',
  'wrong',
  'unknown',
);

/** The services that write an event. */
export const SESSION = ['session-service'] as const;
export const CHALLENGE = ['challenge-service'] as const;
export const BOTH = ['session-service', 'challenge-service'] as const;
/** A service that writes events. */
export type ServiceName = (typeof BOTH)[number];

/** The schema of an event: the fields that every line has, and its own. */
export const event = <Name extends string, Service extends ServiceName, Fields extends TProperties>(
  name: Name,
  services: readonly Service[],
  description: string,
  fields: Fields,
) =>
  Type.Object(
    {
      type: Type.Literal('audit', { description: '`audit`, unlike log lines' }),
      version: Type.Literal(AUDIT_VERSION, {
        description: 'Raised if a field changes its meaning or goes; ignore unknown fields and events',
      }),
      time: Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        description: "The service's clock, ISO 8601 in UTC",
      }),
      service: oneOf('Source', ...services),
      event: Type.Literal(name, { description: 'Event name' }),
      ...fields,
    },
    { $id: name, additionalProperties: false, description, services },
  );
