// The documents of one person's data: the bodies of the routes, and the output of the command `person`.

import { type Static, Type } from '@sinclair/typebox';
import { UserId } from '@tollgate/shared/schemas';

/** A person, by user id or address. */
export const PersonRequest = Type.Object(
  {
    id: Type.Optional(UserId),
    email: Type.Optional(
      Type.String({ minLength: 1, maxLength: 320, description: 'Address, or another name of the account' }),
    ),
    applications: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 32,
        description:
          'Further applications whose failure counters and audit lines of this address are included',
      }),
    ),
  },
  { $id: 'PersonRequest', description: 'Exactly one of `id` and `email`' },
);
export type PersonRequest = Static<typeof PersonRequest>;

const PersonNames = Type.Object({
  id: Type.Optional(UserId),
  email: Type.Optional(Type.String()),
  in_directory: Type.Boolean({ description: 'Whether the directory has the user' }),
});

/** Data outside of the reach of the command. */
const Elsewhere = Type.Object({
  where: Type.String(),
  what: Type.String(),
  until: Type.String(),
});
export type Elsewhere = Static<typeof Elsewhere>;

const PartName = Type.Union(
  (
    [
      'directory',
      'sessions',
      'ended_sessions',
      'device_void',
      'sign_in_codes',
      'account_events',
      'failure_counters',
      'directory_check',
      'audit_log',
    ] as const
  ).map((name) => Type.Literal(name)),
);
export type PartName = Static<typeof PartName>;

/** All data of a person. */
export const PersonExport = Type.Object(
  {
    person: PersonNames,
    made_at: Type.String({ format: 'date-time' }),
    parts: Type.Array(
      Type.Object({
        part: PartName,
        what: Type.String({ description: 'Explanation of the data' }),
        why: Type.String({ description: 'Purpose' }),
        until: Type.String({ description: 'Retention' }),
        items: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
    elsewhere: Type.Array(Elsewhere, { description: 'Data that this document does not contain' }),
  },
  { $id: 'PersonExport' },
);
export type PersonExport = Static<typeof PersonExport>;

/** The result of an erasure. */
export const PersonErasure = Type.Object(
  {
    person: PersonNames,
    erased_at: Type.String({ format: 'date-time' }),
    parts: Type.Array(
      Type.Object({
        part: PartName,
        erased: Type.Integer({ minimum: 0, description: 'Number of erased entries' }),
      }),
    ),
    elsewhere: Type.Array(Elsewhere, { description: 'Remaining data, and its retention' }),
  },
  { $id: 'PersonErasure' },
);
export type PersonErasure = Static<typeof PersonErasure>;
