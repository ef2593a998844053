// The public keys of access tokens: reads and writes sets of JSON Web Keys.

import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The algorithms that sign access tokens in the format `public` (RFC 7518, 3.4; RFC 8037, 3.1). */
export type SigningAlgorithm = 'EdDSA' | 'ES256';

/** Most keys read from a set; ours have two or three. */
const MOST_KEYS = 32;

/** A key that verifies access tokens. */
export interface PublicKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

const CURVES = {
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  ES256: { kty: 'EC', crv: 'P-256' },
} as const;

/** A published public key (RFC 7517, 4). */
type PublishedKey = (typeof CURVES)[SigningAlgorithm] & {
  readonly x: string;
  readonly y?: string;
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
};

/** Returns the first 8 hexadecimal digits of the key's thumbprint (RFC 7638): the same for every holder. */
export function publicKeyId(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: 'jwk' });
  // In alphabetical order, as the thumbprint requires.
  const members = JSON.stringify({ crv, kty, x, ...(y === undefined ? {} : { y }) });
  return createHash('sha256').update(members).digest('hex').slice(0, 8);
}

/** Returns the set that publishes these keys. */
export function jwksOf(keys: readonly PublicKey[]): { keys: PublishedKey[] } {
  return {
    keys: keys.map(({ id, algorithm, key }) => {
      const { x = '', y } = key.export({ format: 'jwk' });
      const point = { x, ...(y === undefined ? {} : { y }) };
      return { ...CURVES[algorithm], ...point, kid: id, alg: algorithm, use: 'sig' };
    }),
  };
}

/**
 * Reads a parsed key set. Keys with other algorithms or uses are omitted (RFC 7517, 5), and keys with their private part.
 * @throws RangeError for anything that is not a key set
 */
export function readJwks(jwks: unknown): PublicKey[] {
  const keys = isObject(jwks) ? jwks.keys : undefined;
  if (!Array.isArray(keys)) throw new RangeError('not a JSON Web Key Set');
  const read = keys.slice(0, MOST_KEYS).flatMap((key: unknown) => readKey(key) ?? []);
  return read.filter(({ id }, at) => read.findIndex((other) => other.id === id) === at);
}

function readKey(jwk: unknown): PublicKey | undefined {
  if (!isObject(jwk) || 'd' in jwk) return undefined;
  const { kid, kty, crv, alg, use = 'sig', x, y } = jwk;
  const found = Object.entries(CURVES).find(([, curve]) => curve.kty === kty && curve.crv === crv);
  if (found === undefined || use !== 'sig' || typeof kid !== 'string') return undefined;
  const algorithm = found[0] as SigningAlgorithm;
  if ((alg !== undefined && alg !== algorithm) || !/^[A-Za-z0-9_-]{1,64}$/.test(kid)) return undefined;
  try {
    const key = { kty, crv, x, ...(y === undefined ? {} : { y }) } as JsonWebKey;
    return { id: kid, algorithm, key: createPublicKey({ format: 'jwk', key }) };
  } catch {
    // Coordinates off the curve.
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
