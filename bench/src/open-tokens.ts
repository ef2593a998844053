// The project's own tokens, for the benchmarks that issue and read them.
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import tokens from '@tollgate/shared/http/tokens/tokens.js';
import Fastify from 'fastify';
import type { Open } from './opened.js';

/** Opens access and refresh tokens with keys of their own, as a service does. @param open closes them with the program */
export async function openTokens(open: Open) {
  const app = await open(Fastify());
  const ring = (name: string) => openKeyRing(`${name} `.repeat(8).trim());
  await app.register(tokens, {
    accessSecrets: ring('access'),
    refreshSecrets: ring('refresh'),
    encryptionKeys: ring('encryption'),
  });
  await app.ready();
  return app.tokens;
}
