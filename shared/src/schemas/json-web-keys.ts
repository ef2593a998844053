// The public keys of access tokens as JSON Web Keys: what `/.well-known/jwks.json` answers, and what verifiers read.

import { type Static, Type } from '@sinclair/typebox';

/** The algorithms that sign access tokens in the format `public`. */
const SigningAlgorithm = Type.Union([Type.Literal('EdDSA'), Type.Literal('ES256')]);

const coordinate = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description });

/** One public key (RFC 7517, 4). */
export const JsonWebKey = Type.Object(
  {
    kty: Type.Union([Type.Literal('OKP'), Type.Literal('EC')]),
    crv: Type.Union([Type.Literal('Ed25519'), Type.Literal('P-256')]),
    x: coordinate('The public key of Ed25519, or the first coordinate'),
    y: Type.Optional(coordinate('The second coordinate, for P-256')),
    kid: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'The id that tokens name' }),
    alg: SigningAlgorithm,
    use: Type.Literal('sig'),
  },
  { $id: 'JsonWebKey' },
);
/** Answer to `GET /.well-known/jwks.json` (RFC 7517, 5). */
export const JwksBody = Type.Object(
  { keys: Type.Array(JsonWebKey, { description: 'Every key whose tokens are accepted; the first signs' }) },
  { $id: 'JwksBody' },
);
export type JwksBody = Static<typeof JwksBody>;
