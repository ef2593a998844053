// The project's own tokens, for the benchmarks that issue and read them.
import {
  createSigningKey,
  openKeyRing,
  openSigningKeys,
  type SigningAlgorithm,
} from '@tollgate/shared/crypto';
import { type Tokens, tokens } from '@tollgate/shared/tokens';
import Fastify from 'fastify';
import type { Open } from './opened.js';

/**
 * Opens access and refresh tokens with new keys, as a service does.
 * @param open closes them with the program
 * @param algorithm signs access tokens in the format `public`; by default they are sealed
 */
export async function openTokens(open: Open, algorithm?: SigningAlgorithm): Promise<Tokens> {
  const app = await open(Fastify());
  const ring = (name: string) => openKeyRing(`${name} `.repeat(8).trim());
  await app.register(tokens, {
    ...(algorithm === undefined
      ? { accessSecrets: ring('access') }
      : { publicTokens: publicTokens(algorithm) }),
    refreshSecrets: ring('refresh'),
    encryptionKeys: ring('encryption'),
  });
  await app.ready();
  return app.tokens;
}

function publicTokens(algorithm: SigningAlgorithm) {
  const names = { issuer: 'https://auth.example.com', audiences: ['https://auth.example.com'] };
  const keys = openSigningKeys(createSigningKey(algorithm));
  return { ...names, keys, clientId: 'tollgate', issued: true };
}
