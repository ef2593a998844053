// The bodies of issued challenges, their queries, and the fields of the answers.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { CaptchaOptions } from './captcha-options.js';
import { TOKEN_PATTERN } from './names.js';

const token = Type.String({ pattern: TOKEN_PATTERN, description: 'Challenge token; single use' });
const expires_in = Type.Integer({ description: 'Seconds until expiry; unaffected by clock differences' });
const expires_at = Type.String({
  description: 'Absolute expiry, ISO 8601 in UTC',
  examples: ['2026-08-10T15:05:28+00:00'],
});

/** Response to `GET {prefix}/pow`. */
export const PowChallenge = Type.Object(
  {
    token,
    salt: Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'Hashed with the nonce: SHA-256(salt ‖ nonce)',
    }),
    difficulty: Type.Integer({ description: 'Required leading zero bits of the digest' }),
    algorithm: Type.String({ description: 'Name of the hash algorithm' }),
    expires_in,
    expires_at,
  },
  { $id: 'PowChallenge' },
);
export type PowChallenge = Static<typeof PowChallenge>;

const hashwxFields = {
  salt: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: "Hashed with part and block to a function's seed",
  }),
  algorithm: Type.Literal('hashwx-1'),
  parts: Type.Integer({ description: 'Number of parts, each solved by a number' }),
  part_hashes: Type.Integer({ description: 'Average hashes per part' }),
  nonces_per_function: Type.Integer({ description: 'Nonces per function' }),
};

/** Response to `GET {prefix}/pow` for a client that requests `hashwx-1`, if the service accepts it. */
export const HashwxChallenge = Type.Object(
  {
    token,
    ...hashwxFields,
    difficulty: Type.Integer({ description: 'Price in bits: equivalent SHA-256 hashes' }),
    expires_in,
    expires_at,
  },
  { $id: 'HashwxChallenge' },
);
export type HashwxChallenge = Static<typeof HashwxChallenge>;

/** Response to `GET {prefix}`. */
export const ImageChallenge = Type.Object(
  {
    token,
    url: Type.String({ description: 'Absolute link to the image' }),
    characters: Type.Optional(
      Type.String({
        description:
          'Only with the query `hint`: the possible characters of the image, in capitals if case is ignored',
      }),
    ),
    expires_in,
    expires_at,
    answer: Type.Optional(Type.String({ description: 'In test mode only' })),
  },
  { $id: 'ImageChallenge' },
);
export type ImageChallenge = Static<typeof ImageChallenge>;

/** Response to `GET {prefix}` with a preset whose challenge type is the operator's own. */
export const KindChallenge = Type.Object(
  {
    token,
    url: Type.Optional(Type.String({ description: 'Absolute link to the image, if the type has one' })),
    expires_in,
    expires_at,
    answer: Type.Optional(Type.String({ description: 'In test mode only' })),
  },
  {
    $id: 'KindChallenge',
    additionalProperties: true,
    description: 'A challenge of your own type, with the properties that the type adds',
  },
);
export type KindChallenge = Static<typeof KindChallenge>;

/** Response to `GET {prefix}?preset=effort`. */
export const EffortChallenge = Type.Object(
  {
    token,
    salt: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Hashed with part and nonce' }),
    parts: Type.Integer({ description: 'Number of parts, solved with the indices 00, 01, …' }),
    part_difficulty: Type.Integer({ description: 'Leading zero bits of SHA-256(salt ‖ index ‖ nonce)' }),
    algorithm: Type.String({ description: 'Name of the hash algorithm' }),
    expires_in,
    expires_at,
  },
  { $id: 'EffortChallenge' },
);
export type EffortChallenge = Static<typeof EffortChallenge>;

/** Response to `GET {prefix}?preset=effort` for a client that requests `hashwx-1`, if the service accepts it. */
export const HashwxEffortChallenge = Type.Object(
  {
    token,
    ...hashwxFields,
    part_difficulty: Type.Integer({
      description: 'Price of a part in bits: equivalent SHA-256 hashes',
    }),
    expires_in,
    expires_at,
  },
  { $id: 'HashwxEffortChallenge' },
);
export type HashwxEffortChallenge = Static<typeof HashwxEffortChallenge>;

/**
 * Returns the challenge fields under their configured names, to spread into the schema of a body. They validate nothing: the
 * guard checks each field and reports its mistakes.
 */
export function challengeFields({ pow, fields }: CaptchaOptions): Record<string, TSchema> {
  const shown = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));
  return {
    [pow.fields.token]: shown('Token of a proof-of-work challenge; 40 letters and digits'),
    [pow.fields.nonce]: shown(
      'Decimal number that solves it, 1 to 24 digits; for `hashwx-1` four numbers joined by dots',
    ),
    [fields.token]: shown('Token of an image challenge, if an image is required'),
    [fields.answer]: shown('The characters of the image, if an image is required'),
  };
}

/** The ticket in a query. It is not validated here because an invalid ticket is ignored. */
const ScopeQuery = Type.Object({
  scope: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Scope ticket of a failed attempt (`pow_scope`)' }),
  ),
});

/** The algorithms in a query; unaccepted ones are ignored. */
const algorithms = Type.Optional(
  Type.Unsafe<unknown>({
    description: 'Algorithms that the client supports, the preferred one first: `hashwx-1,sha256`',
  }),
);

/** Query of `GET {prefix}/pow`. */
export const PowQuery = Type.Object({
  ...ScopeQuery.properties,
  algorithms,
  min_difficulty: Type.Optional(
    // A number in the documents; the query of a request is text.
    Type.Union([Type.Integer({ minimum: 1 }), Type.Unknown()], {
      description:
        'Lowest difficulty that the form accepts, in bits (`pow_min_difficulty`); ignored unless a whole number',
    }),
  ),
});
export type PowQuery = Static<typeof PowQuery>;

/** Query of `GET {prefix}`. A preset that is not a single string counts as missing, so its type is not validated. */
export const ImageQuery = Type.Object({
  preset: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Name of a preset; `default` if it is empty or repeated',
    }),
  ),
  hint: Type.Optional(
    Type.Unsafe<unknown>({ description: 'With any value, the response lists the possible characters' }),
  ),
  ...ScopeQuery.properties,
  algorithms,
});
export type ImageQuery = Static<typeof ImageQuery>;
