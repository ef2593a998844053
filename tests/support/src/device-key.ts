// Device keys and their signatures, created with node:crypto.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key pair of a browser or a page. */
export interface Device {
  readonly algorithm: 'ES256' | 'RS256';
  /** Its public key, as in registrations and proofs. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly privateKey: KeyObject;
}

export function newDevice(algorithm: Device['algorithm'] = 'ES256', bits = 2048): Device {
  const { publicKey, privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: bits });
  return { algorithm, jwk: publicKey.export({ format: 'jwk' }), privateKey };
}

/** A compact JWS with any header and payload. */
export function signed(device: Device, header: object, payload: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode(header)}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(text), { key: device.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Deviations from a valid proof. */
export interface ProofChanges {
  readonly header?: object;
  readonly payload?: object;
}

/**
 * The `Refresh-Proof` of a page.
 * @param address the external address of the route
 */
export function refreshProof(
  device: Device,
  address: string,
  nonce: string | undefined,
  changes: ProofChanges = {},
): string {
  return signed(
    device,
    { typ: 'refresh-proof+jwt', alg: 'ES256', jwk: device.jwk, ...changes.header },
    {
      htm: 'POST',
      htu: address,
      iat: 1_795_309_848,
      jti: 'a1B2c3D4e5F6g7H8i9J0kL',
      ...(nonce === undefined ? {} : { nonce }),
      ...changes.payload,
    },
  );
}

/** A browser's signature to register its key. */
export function registration(device: Device, challenge: string, header: object = {}): string {
  const { algorithm, jwk } = device;
  return signed(device, { alg: algorithm, jwk, typ: 'dbsc+jwt', ...header }, { jti: challenge });
}

/** A browser's signature to renew its cookie. */
export function renewal(device: Device, challenge: string, header: object = {}): string {
  return signed(device, { alg: device.algorithm, typ: 'dbsc+jwt', ...header }, { jti: challenge });
}
