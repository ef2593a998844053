// The fields of audit events, and what every event has.

import { type TProperties, Type } from '@sinclair/typebox';
import { UserId } from './user-id.js';

/** Raised if a field changes its meaning or is removed, not for new fields and events. */
export const AUDIT_VERSION = 1;

const keyed = (description: string) => Type.String({ pattern: '^[0-9a-f]{32}$', description });
/** The address of the client. */
export const address = Type.Optional(
  keyed('Keyed address of the client: 128 bits of HMAC-SHA256; absent when there is no valid address'),
);
/** The account of an event. */
export const account = keyed(
  'Keyed name of the account, the same as in the keys of the store; for accounts that exist and that do not alike',
);
/** The request that caused an event. */
export const request = Type.Optional(
  Type.String({ description: 'Id of the request, `reqId` of its other lines of log' }),
);
/** A session. */
export const sid = Type.String({ pattern: '^[0-9A-Za-z]+$', description: 'Session id' });
/** A user. */
export const uid = Type.Union(UserId.anyOf, {
  description: 'User id: a number, or a text where the directory has texts',
});
/** Whether a known device tried a password. */
export const knownDevice = Type.Optional(
  Type.Boolean({
    description: 'Whether the attempt on the password counted for a known device, and not for the account',
  }),
);
/** Whose form it was. */
export const application = Type.String({
  description: 'Application whose form it was: `login`, `gate`, or the name of a key of the host API',
});
/** A number of events. */
export const count = Type.Integer({ minimum: 1, description: 'How many' });
/** One of these texts. */
export const oneOf = <T extends string>(description: string, ...values: T[]) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );
/** Why a sign-in code was refused. */
export const codeRefusal = oneOf(
  'Why: `unknown` was never made, is used or has expired, `other_origin` belongs to pages of another origin, `other_user` to another user than that of the session, `void` is from before the sessions of its user were ended, `user_gone` to one who is deleted or disabled',
  'unknown',
  'other_origin',
  'other_user',
  'void',
  'user_gone',
);
/** Why a challenge was refused. */
export const challengeRefusal = oneOf(
  'Why: `spent` was used before, `unknown` was never issued here or has expired, `wrong` is no solution, `too_soon` came faster than a person types, `other_address` was issued to another address',
  'spent',
  'unknown',
  'wrong',
  'too_soon',
  'other_address',
);

/** Why a pass was refused. */
export const passRefusal = oneOf(
  'Why: `exhausted` was used too often in a minute, `expired` is too old, `other_application` was made for another one, `wrong` has the name of a pass and another secret, `unknown` has a name that no pass has',
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
