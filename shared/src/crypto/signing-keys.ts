// The private keys that sign access tokens in the format `public`: `ES256:` or `EdDSA:` and 32 bytes in Base64url.

import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { type PublicKey, publicKeyId, type SigningAlgorithm } from './public-keys.js';

/** A signing key, with its public key. */
export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject;
}

/** The keys of `ACCESS_SIGNING_KEYS` in their configured order: the first signs, all verify. */
export interface SigningKeys {
  readonly current: SigningKey;
  readonly all: readonly SigningKey[];
}

const ELEMENT = /^(EdDSA|ES256):([A-Za-z0-9_-]{43})$/;

/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, 7). */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Generates a key and returns it as an element of `ACCESS_SIGNING_KEYS`. */
export function createSigningKey(algorithm: SigningAlgorithm): string {
  const { privateKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return `${algorithm}:${privateKey.export({ format: 'jwk' }).d}`;
}

/**
 * Reads a comma-separated list of such elements.
 * @throws RangeError for a malformed or duplicate element; the message contains no key
 */
export function openSigningKeys(list: string): SigningKeys {
  const all = list.split(',').map((element) => openKey(element.trim()));
  const [current] = all;
  if (current === undefined || new Set(all.map(({ id }) => id)).size < all.length) {
    throw new RangeError('must not have the same element twice');
  }
  return { current, all };
}

/**
 * Derives a key for another purpose from each key, by HKDF-SHA256 (RFC 5869) with an empty salt: a verifier of one purpose
 * has no key of the other.
 */
export function deriveSigningKeys({ all }: SigningKeys, purpose: string): SigningKeys {
  const [current, ...others] = all.map((key) => deriveKey(key, purpose));
  if (current === undefined) throw new RangeError('there is no signing key');
  return { current, all: [current, ...others] };
}

function deriveKey({ algorithm, privateKey }: SigningKey, purpose: string): SigningKey {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const secret = Buffer.from(d, 'base64url');
  for (let attempt = 0; ; attempt += 1) {
    const info = attempt === 0 ? purpose : `${purpose} ${attempt}`;
    try {
      return signingKey(algorithm, Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32)));
    } catch (error) {
      // One of 2^32 results is no private key on P-256.
      if (!(error instanceof RangeError)) throw error;
    }
  }
}

function openKey(element: string): SigningKey {
  const [, algorithm, encoded = ''] = ELEMENT.exec(element) ?? [];
  const bytes = Buffer.from(encoded, 'base64url');
  // The last character has two bits beyond the 32 bytes, which must be zero.
  if (algorithm === undefined || bytes.toString('base64url') !== encoded) throw unknownForm();
  return signingKey(algorithm as SigningAlgorithm, bytes);
}

/** @throws RangeError for bytes that are no key */
function signingKey(algorithm: SigningAlgorithm, bytes: Buffer): SigningKey {
  const privateKey = algorithm === 'EdDSA' ? openEd25519(bytes) : openP256(bytes);
  const key = createPublicKey(privateKey);
  return { id: publicKeyId(key), algorithm, key, privateKey };
}

function openEd25519(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([ED25519_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

function openP256(d: Buffer): KeyObject {
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(d);
  } catch {
    // Zero, or more than the order of the curve.
    throw unknownForm();
  }
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  const values = { d, x, y };
  const members = Object.entries(values).map(([name, bytes]) => [name, bytes.toString('base64url')]);
  const key: JsonWebKey = { kty: 'EC', crv: 'P-256', ...Object.fromEntries(members) };
  return createPrivateKey({ format: 'jwk', key });
}

function unknownForm(): RangeError {
  return new RangeError('must contain outputs of keys create-signing-key, separated by commas');
}
