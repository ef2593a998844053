// The variables of both access token formats, and their checks.

import { Type } from '@sinclair/typebox';
import { fileVariableOf } from './secret-files.js';
import { SecretVariables } from './variables.js';

/** Issuer and audiences of tokens in the format `public`. Their verifiers need the same values. */
export const PublicTokenVariables = {
  ACCESS_TOKEN_ISSUER: Type.Optional(
    Type.String({
      maxLength: 512,
      expected: 'the issuer of tokens',
      description: '`iss` of `public` tokens',
      shownDefault: '`PUBLIC_URL`',
    }),
  ),
  ACCESS_TOKEN_AUDIENCE: Type.Optional(
    Type.Array(Type.String({ maxLength: 512 }), {
      maxItems: 16,
      expected: 'names of audiences, separated by commas',
      description: '`aud` of `public` tokens, or a list; a token for any of them is accepted',
      shownDefault: '`PUBLIC_URL`',
    }),
  ),
};

/** The format of access tokens, and the keys of each. */
export const TokenFormatVariables = {
  ACCESS_TOKEN_FORMAT: Type.Union([Type.Literal('sealed'), Type.Literal('public')], {
    default: 'sealed',
    description: 'Format of new access tokens: encrypted, or JWTs that anybody can read and verify',
  }),
  ACCESS_SECRET: Type.Optional(
    Type.String({
      ...SecretVariables.ACCESS_SECRET,
      description: `${SecretVariables.ACCESS_SECRET.description}. While set, sealed tokens are accepted with \`public\` too`,
      shownDefault: 'required unless `ACCESS_TOKEN_FORMAT` is `public`',
    }),
  ),
  ACCESS_SIGNING_KEYS: Type.Optional(
    Type.String({
      secret: true,
      pattern: '^(?:EdDSA|ES256):[A-Za-z0-9_-]{43}(?:, *(?:EdDSA|ES256):[A-Za-z0-9_-]{43})*$',
      expected: 'an output of keys create-signing-key, or a comma-separated list of them',
      description:
        'Signs [`public` tokens](sessions/public-tokens.md): output of `keys create-signing-key`, or a list',
      shownDefault: 'none',
    }),
  ),
  ...PublicTokenVariables,
  ACCESS_TOKEN_CLIENT_ID: Type.String({
    default: 'tollgate',
    maxLength: 512,
    description: '`client_id` of `public` tokens',
  }),
};

/** Most bytes of issuer, audiences and client in a public token, as JSON in UTF-8; the rest is for the user. */
export const MAX_NAMES_BYTES = 900;

interface TokenFormatValues {
  readonly ACCESS_TOKEN_FORMAT?: string | undefined;
  readonly ACCESS_TOKEN_ISSUER?: string | undefined;
  readonly ACCESS_TOKEN_AUDIENCE?: readonly string[] | undefined;
  readonly ACCESS_TOKEN_CLIENT_ID?: string | undefined;
  readonly PUBLIC_URL?: string | undefined;
}

/** Checks that the format of new tokens has keys, and that the names are short enough. */
export function checkTokenFormat(
  values: TokenFormatValues,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return [...missingKeys(values, env), ...tooLongNames(values)];
}

function tooLongNames(values: TokenFormatValues): string[] {
  const { ACCESS_TOKEN_CLIENT_ID = '', PUBLIC_URL = '' } = values;
  const { issuer, audiences } = publicTokenNames(values, PUBLIC_URL);
  const names = [issuer, ...audiences, ACCESS_TOKEN_CLIENT_ID];
  if (values.ACCESS_TOKEN_FORMAT !== 'public' || Buffer.byteLength(JSON.stringify(names)) <= MAX_NAMES_BYTES)
    return [];
  return [
    `ACCESS_TOKEN_ISSUER, ACCESS_TOKEN_AUDIENCE and ACCESS_TOKEN_CLIENT_ID have more than ${MAX_NAMES_BYTES} bytes together (unset, the first two are PUBLIC_URL): tokens would be too long to be accepted`,
  ];
}

function missingKeys(
  { ACCESS_TOKEN_FORMAT }: TokenFormatValues,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const name = ACCESS_TOKEN_FORMAT === 'public' ? 'ACCESS_SIGNING_KEYS' : 'ACCESS_SECRET';
  // Invalid values have a line of their own.
  if (env[name] || env[fileVariableOf(name)]) return [];
  return [`${name} is missing: it must be ${TokenFormatVariables[name].expected}`];
}

/** Returns issuer and audiences as configured, else the given address for both. */
export function publicTokenNames(
  values: Pick<TokenFormatValues, 'ACCESS_TOKEN_ISSUER' | 'ACCESS_TOKEN_AUDIENCE'>,
  publicUrl: string,
): { readonly issuer: string; readonly audiences: readonly string[] } {
  const { ACCESS_TOKEN_ISSUER: issuer = publicUrl, ACCESS_TOKEN_AUDIENCE: audiences = [publicUrl] } = values;
  return { issuer, audiences };
}
