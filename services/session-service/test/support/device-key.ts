// The proofs of a page of the service under test.

import { type Device, type ProofChanges, refreshProof } from '@tollgate/test-support/device-key.js';
import { PUBLIC_URL } from './session-node.js';

/** The `Refresh-Proof` of a page for `POST /refresh`. */
export function proof(device: Device, nonce: string | undefined, changes: ProofChanges = {}): string {
  return refreshProof(device, `${PUBLIC_URL}/refresh`, nonce, changes);
}

/** The `Refresh-Proof` of a login. */
export function loginProof(device: Device, changes: ProofChanges = {}): string {
  return refreshProof(device, `${PUBLIC_URL}/login`, undefined, changes);
}
