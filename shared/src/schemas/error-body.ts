// The body of every error response.

import { type Static, Type } from '@sinclair/typebox';

/** The body of every response with a status of 400 or more. Routes may add fields. */
export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'What happened, for people, in the language of Accept-Language' }),
    code: Type.String({ description: 'What happened, for programs; stable', pattern: '^[a-z_]+$' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Per field what is wrong with it, for people',
      }),
    ),
    captcha_required: Type.Optional(
      Type.Boolean({ description: 'The next attempt must include an image answer' }),
    ),
    pow_scope: Type.Optional(
      Type.String({ description: 'Ticket for work priced by the failures of this account; for `?scope=`' }),
    ),
    captcha_alternatives: Type.Optional(
      Type.Array(Type.String(), { description: 'Presets that may stand in for the demanded image' }),
    ),
    captcha_presets: Type.Optional(
      Type.Array(Type.String(), { description: 'Presets of images that this form accepts; for `?preset=`' }),
    ),
    pow_min_difficulty: Type.Optional(
      Type.Integer({ description: 'The least bits of work that this form accepts; for `?min_difficulty=`' }),
    ),
    pow_algorithms: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Algorithms of work that this form accepts; for `?algorithms=`',
      }),
    ),
  },
  // Without this the serializer drops properties that the schema does not name.
  { $id: 'ErrorBody', description: 'An error', additionalProperties: true },
);
export type ErrorBody = Static<typeof ErrorBody>;
