// Tokens of fast-jwt with our algorithms, alone and inside AES-256-GCM.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { LoadPeer } from './packages.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface FastJwt {
  createSigner(options: object): (claims: object) => string;
  createVerifier(options: object): (token: string) => unknown;
}

/** A pair of functions; `open` throws for a token that is invalid or has expired. */
interface Codec {
  readonly issue: (claims: object) => string;
  readonly open: (token: string) => unknown;
}

/** Opens both with new keys. @param seconds lifetime of a token */
export async function openFastJwt(
  load: LoadPeer,
  seconds: number,
): Promise<{ readonly signed: Codec; readonly sealed: Codec }> {
  const { createSigner, createVerifier } = await load<FastJwt>('fast-jwt');
  const [secret, key] = [randomBytes(32), createSecretKey(randomBytes(32))];
  const sign = createSigner({ key: secret, algorithm: 'HS256', expiresIn: seconds * 1000 });
  const verify = createVerifier({ key: secret, algorithms: ['HS256'], cache: false });
  return {
    signed: { issue: sign, open: verify },
    sealed: {
      issue(claims) {
        const nonce = randomBytes(NONCE_BYTES);
        const cipher = createCipheriv('aes-256-gcm', key, nonce);
        const parts = [nonce, cipher.update(sign(claims), 'latin1'), cipher.final(), cipher.getAuthTag()];
        return Buffer.concat(parts).toString('base64url');
      },
      open(token) {
        const bytes = Buffer.from(token, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'latin1');
        return verify(text + decipher.final('latin1'));
      },
    },
  };
}
