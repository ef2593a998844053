// A site: its key and its options, as `SITES` has them.

import { type Static, Type } from '@sinclair/typebox';
import { isHostnamePattern } from './hostnames.js';
import { SITE_KEY_PATTERN } from './site-bodies.js';

const SECRET_HASH = '^[0-9a-fA-F]{64}$';
const MOST_SECRETS = 3;
const MOST_HOSTNAMES = 100;

/** The options of a site. */
export const SiteOptions = Type.Object(
  {
    secret_sha256: Type.Union(
      [
        Type.String({ pattern: SECRET_HASH }),
        Type.Array(Type.String({ pattern: SECRET_HASH }), { minItems: 1, maxItems: MOST_SECRETS }),
      ],
      {
        expected: `the SHA-256 of a secret, 64 hexadecimal digits, or a list of up to ${MOST_SECRETS}`,
      },
    ),
    hostnames: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MOST_HOSTNAMES,
      expected: `a list of 1 to ${MOST_HOSTNAMES} host names without a port, such as shop.example, *.shop.example or *`,
    }),
    difficulty: Type.Integer({ default: 16, minimum: 16, maximum: 24 }),
    receipt_seconds: Type.Integer({ default: 300, minimum: 2, maximum: 900 }),
    score: Type.Number({ default: 0.9, minimum: 0, maximum: 1 }),
    check_remoteip: Type.Boolean({ default: false }),
    image: Type.Union([Type.Literal('never'), Type.Literal('always')], { default: 'never' }),
  },
  { additionalProperties: false },
);

/** A site, with its key. */
export interface Site extends Omit<Static<typeof SiteOptions>, 'secret_sha256'> {
  readonly key: string;
  /** SHA-256 of each of its secrets, 64 hexadecimal digits in lower case. */
  readonly secretHashes: readonly string[];
}

const SITE_KEY = new RegExp(SITE_KEY_PATTERN);

/** Returns whether a text is a site key. */
export function isSiteKey(text: string): boolean {
  return SITE_KEY.test(text);
}

/** Returns whether every host name of a list is valid, with or without a wildcard. */
export function areHostnames(names: readonly string[]): boolean {
  return names.every(isHostnamePattern);
}
