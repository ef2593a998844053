// The bodies of issued challenges, as challenge-service.md and decisions 2.1 have them.

import { type Static, Type } from '@sinclair/typebox';
import { TOKEN_PATTERN } from '../challenges/tokens.js';

const token = Type.String({ pattern: TOKEN_PATTERN, description: 'Names the challenge; single use' });
const expires_in = Type.Integer({ description: 'Seconds until expiry; unaffected by clock differences' });
const expires_at = Type.String({
  description: 'Absolute expiry, ISO 8601 in UTC',
  examples: ['2026-08-10T15:05:28+00:00'],
});

/** Answer to `GET {prefix}/pow`. */
export const PowChallenge = Type.Object(
  {
    token,
    salt: Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'Hashed with the nonce: SHA-256(salt ‖ nonce)',
    }),
    difficulty: Type.Integer({ description: 'Leading zero bits that the digest must have' }),
    algorithm: Type.String({ description: 'Name of the hash algorithm' }),
    expires_in,
    expires_at,
  },
  { $id: 'PowChallenge' },
);
export type PowChallenge = Static<typeof PowChallenge>;

/** Answer to `GET {prefix}`. */
export const ImageChallenge = Type.Object(
  {
    token,
    url: Type.String({ description: 'Absolute link to the image' }),
    expires_in,
    expires_at,
    answer: Type.Optional(Type.String({ description: 'In test mode only' })),
  },
  { $id: 'ImageChallenge' },
);
export type ImageChallenge = Static<typeof ImageChallenge>;

/** Answer to `GET {prefix}` with a preset whose kind is the operator's own. */
export const KindChallenge = Type.Object(
  {
    token,
    url: Type.Optional(Type.String({ description: 'Absolute link to the image, where the kind has one' })),
    expires_in,
    expires_at,
    answer: Type.Optional(Type.String({ description: 'In test mode only' })),
  },
  {
    $id: 'KindChallenge',
    additionalProperties: true,
    description: 'A challenge of a kind of your own; its further properties are what the kind gives',
  },
);
export type KindChallenge = Static<typeof KindChallenge>;

/** Answer to `GET {prefix}?preset=effort`. */
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
