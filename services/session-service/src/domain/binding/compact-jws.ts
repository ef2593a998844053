// Reads signed texts of devices: JSON Web Signatures in their compact form (RFC 7515).

import { verify } from 'node:crypto';
import type { DeviceKey } from './public-jwk.js';

/** A parsed JWS whose signature is not verified yet. */
export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whether the JWS has the algorithm of this key, and its signature. */
  isSignedBy(key: DeviceKey): boolean;
}

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** Returns the parts of a JWS; undefined unless header and payload are JSON objects without `crit`. */
export function readCompactJws(text: string): CompactJws | undefined {
  const [, head = '', body = '', signature = ''] = COMPACT.exec(text) ?? [];
  const header = parseObject(head);
  const payload = parseObject(body);
  // Critical extensions are not supported (RFC 7515, 4.1.11).
  if (header === undefined || payload === undefined || 'crit' in header) return undefined;
  return {
    header,
    payload,
    isSignedBy: ({ algorithm, key }) =>
      header.alg === algorithm &&
      verify(
        'sha256',
        Buffer.from(`${head}.${body}`),
        // Ignored for RSA.
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
  };
}

function parseObject(base64url: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
