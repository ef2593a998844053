// Reads the proof of a page that holds a key: a signed header in the shape of DPoP (RFC 9449).

import { readCompactJws } from '@tollgate/shared/crypto/compact-jws.js';
import { readDeviceKey } from '@tollgate/shared/crypto/public-jwk.js';
import type { BindingKey } from './session-binding.js';

/** A header whose signature, method and address are right. Its nonce is not judged yet. */
export interface RefreshProof extends BindingKey {
  /** The proof's own id, for the log: browsers send requests again, so it is not stored. */
  readonly id: string;
  readonly nonce: unknown;
}

/** The longest header that is read, in characters. */
export const MAX_PROOF_CHARACTERS = 2048;

const TYPE = 'refresh-proof+jwt';
const ID = /^[A-Za-z0-9_-]{16,64}$/;

/**
 * Reads the header. Its time is not judged, because clients' clocks are wrong by minutes.
 * @param address the external address of the route, without a query
 */
export function readRefreshProof(text: unknown, address: string): RefreshProof | undefined {
  if (typeof text !== 'string' || text.length > MAX_PROOF_CHARACTERS) return undefined;
  const jws = readCompactJws(text);
  if (jws === undefined || jws.header.typ !== TYPE) return undefined;
  const key = readDeviceKey(jws.header.jwk);
  if (key?.algorithm !== 'ES256') return undefined;
  const { htm, htu, iat, jti, nonce } = jws.payload;
  const isMeant = htm === 'POST' && htu === address && Number.isInteger(iat);
  if (!isMeant || typeof jti !== 'string' || !ID.test(jti) || !jws.isSignedBy(key)) return undefined;
  return { thumbprint: key.thumbprint, compact: key.compact, id: jti, nonce };
}
