// Seals and opens the value of a device cookie.

import { TypeCompiler } from '@sinclair/typebox/compiler';
import { createEnvelope } from '../../crypto/envelope.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import { DeviceClaims } from '../../schemas/device-claims.js';

/** The codec of device cookies. */
export interface DeviceCodec {
  /** Returns the text of a cookie with these claims, percent-encoded. */
  seal(claims: DeviceClaims): string;
  /** Returns the claims, or undefined for anything that `seal` did not make with a known key. Their times are not judged. */
  open(text: string): DeviceClaims | undefined;
}

const isClaims = TypeCompiler.Compile(DeviceClaims);

/** @param encryptionKeys the keys of `ENCRYPTION_KEY`; the first seals, all open */
export function createDeviceCodec(encryptionKeys: KeyRing): DeviceCodec {
  const envelope = createEnvelope('device', encryptionKeys);
  return {
    seal: (claims) => envelope.seal(JSON.stringify(claims)),
    open(text) {
      const opened = envelope.open(text);
      if (opened === null) return undefined;
      const claims: unknown = JSON.parse(opened);
      return isClaims.Check(claims) ? claims : undefined;
    },
  };
}
