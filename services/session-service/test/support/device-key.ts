// Proofs of a page for the service under test.

import { type Device, type ProofChanges, refreshProof } from '@tollgate/test-support/device-key.js';
import { PUBLIC_URL } from './session-node.js';

/** A page's `Refresh-Proof` for `POST /refresh`. */
export function proof(device: Device, nonce: string | undefined, changes: ProofChanges = {}): string {
  return refreshProof(device, `${PUBLIC_URL}/refresh`, nonce, changes);
}

/** The `Refresh-Proof` for a login. */
export function loginProof(device: Device, changes: ProofChanges = {}): string {
  return refreshProof(device, `${PUBLIC_URL}/login`, undefined, changes);
}
