// Public keys of devices as JSON Web Keys (RFC 7517): checked, identified, and in a compact form for storage.

import { createPublicKey, hash, type KeyObject } from 'node:crypto';

/** The signature algorithms that device keys use (RFC 7518): ECDSA on P-256 and RSA, both with SHA-256. */
export type DeviceAlgorithm = 'ES256' | 'RS256';

/** A checked public key. */
export interface DeviceKey {
  readonly algorithm: DeviceAlgorithm;
  readonly key: KeyObject;
  /** SHA-256 of the key's required members (RFC 7638), base64url: 43 characters. */
  readonly thumbprint: string;
  /** `EC.x.y` or `RSA.e.n`, the input of `parseDeviceKey`. */
  readonly compact: string;
}

/** The required members of each key type besides `kty`, in the order of the thumbprint and of the compact form. */
const MEMBERS = { EC: ['x', 'y'], RSA: ['e', 'n'] } as const;

const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** 32 bytes. */
const COORDINATE_CHARACTERS = 43;
const MIN_MODULUS_BITS = 2048;
/** Verification time grows with the square of the modulus, and every session record contains it. */
const MAX_MODULUS_CHARACTERS = 683;
/**
 * With an exponent of 1 every message is its own signature, and small ones have a history of forgeries. NIST SP 800-56B,
 * 6.2.
 */
const MIN_EXPONENT = 65_537n;
/** 32 bits: verification time grows with the exponent. */
const MAX_EXPONENT_CHARACTERS = 6;

/**
 * Checks a JSON Web Key: `{kty: 'EC', crv: 'P-256', x, y}` of a point on the curve, or `{kty: 'RSA', e, n}` of 2,048 to
 * 4,096 bits with an exponent of at least 65,537. Returns undefined for any other value, and for a private key.
 */
export function readDeviceKey(jwk: unknown): DeviceKey | undefined {
  const { kty, crv, d, ...members } = Object(jwk) as Readonly<Record<string, unknown>>;
  if (d !== undefined || (kty === 'EC' && crv !== 'P-256') || (kty !== 'EC' && kty !== 'RSA'))
    return undefined;
  const texts = MEMBERS[kty].map((name) => members[name]);
  const isText = (text: unknown) => typeof text === 'string' && BASE64URL.test(text);
  return texts.every(isText) ? openKey(kty, texts as [string, string]) : undefined;
}

/** Reads the compact form; undefined for any other string. */
export function parseDeviceKey(compact: string): DeviceKey | undefined {
  const [kty, first, second, ...more] = compact.split('.');
  if ((kty !== 'EC' && kty !== 'RSA') || second === undefined || more.length > 0) return undefined;
  const [name, other] = MEMBERS[kty];
  return readDeviceKey({ kty, ...(kty === 'EC' && { crv: 'P-256' }), [name]: first, [other]: second });
}

function openKey(kty: keyof typeof MEMBERS, [first, second]: [string, string]): DeviceKey | undefined {
  const isSized =
    kty === 'EC'
      ? first.length === COORDINATE_CHARACTERS && second.length === COORDINATE_CHARACTERS
      : first.length <= MAX_EXPONENT_CHARACTERS && second.length <= MAX_MODULUS_CHARACTERS;
  if (!isSized) return undefined;
  const jwk = kty === 'EC' ? { crv: 'P-256', kty, x: first, y: second } : { e: first, kty, n: second };
  try {
    // Throws for a point off the curve.
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
    if (kty === 'RSA' && (modulusLength < MIN_MODULUS_BITS || publicExponent < MIN_EXPONENT))
      return undefined;
    return {
      algorithm: kty === 'EC' ? 'ES256' : 'RS256',
      key,
      // The members are in the alphabetical order that the thumbprint requires.
      thumbprint: hash('sha256', JSON.stringify(jwk), 'base64url'),
      compact: [kty, first, second].join('.'),
    };
  } catch {
    return undefined;
  }
}
