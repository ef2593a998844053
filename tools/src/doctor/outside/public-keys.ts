// Checks that the keys of access tokens in the format `public` are published.

import type { Answer } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

interface PublicKeyFacts {
  /** `GET /.well-known/jwks.json`. */
  readonly jwks: Answer;
  /** The id of the key that signed a token of the running service; undefined if the token is sealed, or there is none. */
  readonly signedBy: string | undefined;
}

/** Requests the keys. @param accessToken of the running service, after a login */
export async function probePublicKeys(
  client: PublicClient,
  accessToken: string | undefined,
): Promise<PublicKeyFacts> {
  return { jwks: await client.send('GET', '/.well-known/jwks.json'), signedBy: keyIdOf(accessToken) };
}

/** No finding without tokens of that format and published keys. */
export function diagnosePublicKeys({ jwks, signedBy }: PublicKeyFacts): Finding[] {
  const ids = publishedIds(jwks);
  if (signedBy !== undefined && !ids.includes(signedBy)) {
    return [
      problem(
        'public_keys',
        `The access token is signed with the key ${signedBy}, which is not at /.well-known/jwks.json: verifiers reject it.`,
        'Route /.well-known/jwks.json to the session service, and set the same ACCESS_SIGNING_KEYS for all its processes.',
      ),
    ];
  }
  if (ids.length === 0) return [];
  if (!/\bmax-age=[1-9]/.test(jwks.headers['cache-control'] ?? '')) {
    return [
      warning(
        'public_keys_uncached',
        'The response of /.well-known/jwks.json may not be cached: verifiers request the keys again and again.',
        'Let the gateway pass Cache-Control on unchanged.',
      ),
    ];
  }
  return [good('public_keys', 'The public keys of access tokens are published and cacheable.')];
}

function publishedIds({ status, json }: Answer): string[] {
  const keys: unknown = status === 200 ? json.keys : undefined;
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((key: { kid?: unknown } | null) => (typeof key?.kid === 'string' ? [key.kid] : []));
}

function keyIdOf(accessToken = ''): string | undefined {
  const [head, ...rest] = accessToken.split('.');
  if (rest.length !== 2 || head === undefined) return undefined;
  try {
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid?: unknown };
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
