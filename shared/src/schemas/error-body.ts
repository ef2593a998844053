// The body of every error response.

import { type Static, Type } from '@sinclair/typebox';

/** The body of every response with a status of 400 or more. Routes may add fields. */
export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'Message for people, in the language of Accept-Language' }),
    code: Type.String({ description: 'Stable error code for programs', pattern: '^[a-z_]+$' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Mistakes by field, for people',
      }),
    ),
    captcha_required: Type.Optional(
      Type.Boolean({ description: 'The next attempt requires an image answer' }),
    ),
    pow_scope: Type.Optional(
      Type.String({ description: "Ticket for work priced by this account's failures; for `?scope=`" }),
    ),
    captcha_alternatives: Type.Optional(
      Type.Array(Type.String(), { description: 'Presets that may replace the required image' }),
    ),
    captcha_presets: Type.Optional(
      Type.Array(Type.String(), { description: 'Image presets that this form accepts; for `?preset=`' }),
    ),
    pow_min_difficulty: Type.Optional(
      Type.Integer({
        description: 'Lowest difficulty that this form accepts, in bits; for `?min_difficulty=`',
      }),
    ),
    pow_algorithms: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Algorithms that this form accepts; for `?algorithms=`',
      }),
    ),
  },
  // Without this the serializer drops properties that are not in the schema.
  { $id: 'ErrorBody', description: 'An error', additionalProperties: true },
);
export type ErrorBody = Static<typeof ErrorBody>;
