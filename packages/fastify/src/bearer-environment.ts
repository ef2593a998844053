// Variables of the bearer guard: secrets and keys for each token format.

import { type Static, Type } from '@sinclair/typebox';
import {
  checkSecrets,
  checkStores,
  fileVariableOf,
  PublicTokenVariables,
  readEnvironment,
  SecretVariables,
} from '@tollgate/shared/config';
import { type EnvelopeKey, importAccessKeys, type PublicKey, readJwks } from '@tollgate/shared/crypto';
import { ConfigurationError } from '@tollgate/shared/schemas';

const ofSealed = { shownDefault: 'required for `sealed` tokens' };
const ofPublic = { shownDefault: 'required for `public` tokens' };

/** Variables of the guard. */
export const BearerEnvironment = Type.Object({
  ACCESS_SECRET: Type.Optional(
    Type.String({
      ...SecretVariables.ACCESS_SECRET,
      ...ofSealed,
      description: 'The secret of session-service, or its list',
    }),
  ),
  ACCESS_KEYS: Type.Optional(
    Type.String({
      ...ofSealed,
      description: 'Decryption keys of access tokens: the output of the command `keys export-access`',
      secret: true,
      expected: 'the output of the command keys export-access',
    }),
  ),
  ACCESS_JWKS_URL: Type.Optional(
    Type.String({
      shownDefault: 'required for `public` tokens, unless `ACCESS_PUBLIC_KEYS` is set',
      pattern: '^https?://[^\\s@]+$',
      description: 'URL of the public keys for access tokens',
      expected: 'the URL of the public keys, such as https://auth.example.com/.well-known/jwks.json',
    }),
  ),
  ACCESS_PUBLIC_KEYS: Type.Optional(
    Type.String({
      description: 'Public keys for access tokens: the output of the command `keys export-public`',
    }),
  ),
  ACCESS_TOKEN_ISSUER: Type.Optional(
    Type.String({ ...PublicTokenVariables.ACCESS_TOKEN_ISSUER, ...ofPublic }),
  ),
  ACCESS_TOKEN_AUDIENCE: Type.Optional(
    Type.Array(PublicTokenVariables.ACCESS_TOKEN_AUDIENCE.items, {
      ...PublicTokenVariables.ACCESS_TOKEN_AUDIENCE,
      ...ofPublic,
    }),
  ),
  STORE_URL: Type.Optional(
    Type.String({
      secret: true,
      description:
        'Session store, to reject [ended sessions](sessions/end-sessions.md#effect-on-access-tokens)',
    }),
  ),
  ACCESS_TTL: Type.Integer({
    default: 900,
    minimum: 1,
    maximum: 31_536_000,
    description: 'Lifetime of an access token, in seconds, as in session-service',
  }),
});
type BearerValues = Static<typeof BearerEnvironment>;

/** Verification keys. At least one of both is set. */
export interface BearerKeys {
  readonly values: BearerValues;
  /** For sealed tokens. */
  readonly sealed: { readonly secret: string; readonly keys: EnvelopeKey[] } | undefined;
  /** For public tokens: the keys or their URL. */
  readonly open:
    | {
        readonly keys: string | readonly PublicKey[];
        readonly issuer: string;
        readonly audiences: readonly string[];
      }
    | undefined;
}

/**
 * Reads the variables.
 * @throws ConfigurationError with a line per mistake
 */
export function readBearerEnvironment(env: Readonly<Record<string, string | undefined>>): BearerKeys {
  const isSet = (name: string) => Boolean(env[name] || env[fileVariableOf(name)]);
  const isPublic = isSet('ACCESS_JWKS_URL') || isSet('ACCESS_PUBLIC_KEYS');
  const isSealed = !isPublic || isSet('ACCESS_SECRET') || isSet('ACCESS_KEYS');
  const { properties } = BearerEnvironment;
  const required = [
    ...(isSealed ? (['ACCESS_SECRET', 'ACCESS_KEYS'] as const) : []),
    ...(isPublic ? (['ACCESS_TOKEN_ISSUER', 'ACCESS_TOKEN_AUDIENCE'] as const) : []),
  ];
  const values = readEnvironment(BearerEnvironment, env, (found) => [
    ...required
      .filter((name) => !isSet(name))
      .map((name) => `${name} is missing: it must be ${properties[name].expected}`),
    ...(isSet('ACCESS_JWKS_URL') && isSet('ACCESS_PUBLIC_KEYS')
      ? ['ACCESS_PUBLIC_KEYS must not be set together with ACCESS_JWKS_URL']
      : []),
    ...checkSecrets({ ACCESS_SECRET: found.ACCESS_SECRET }),
    ...(found.STORE_URL === undefined ? [] : checkStores(found, ['STORE_URL'])),
  ]);
  const { ACCESS_SECRET: secret, ACCESS_KEYS, ACCESS_JWKS_URL, ACCESS_PUBLIC_KEYS } = values;
  const { ACCESS_TOKEN_ISSUER: issuer = '', ACCESS_TOKEN_AUDIENCE: audiences = [] } = values;
  const keys =
    ACCESS_JWKS_URL ?? (ACCESS_PUBLIC_KEYS === undefined ? undefined : readPublicKeys(ACCESS_PUBLIC_KEYS));
  return {
    values,
    sealed:
      secret === undefined || ACCESS_KEYS === undefined
        ? undefined
        : { secret, keys: readAccessKeys(ACCESS_KEYS) },
    open: keys === undefined ? undefined : { keys, issuer, audiences },
  };
}

function readAccessKeys(text: string): EnvelopeKey[] {
  try {
    return importAccessKeys(text.trim());
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`ACCESS_KEYS ${error.message}`]);
    throw error;
  }
}

function readPublicKeys(text: string): readonly PublicKey[] {
  try {
    const keys = readJwks(JSON.parse(text));
    if (keys.length > 0) return keys;
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
  }
  throw new ConfigurationError([
    'ACCESS_PUBLIC_KEYS must be a JSON Web Key Set, the output of the command keys export-public',
  ]);
}
