// Finds the site of a secret.

import { hash, randomBytes } from 'node:crypto';
import { equalBytes } from '@tollgate/shared/crypto';
import type { Site } from './site.js';

/** Bytes of a secret. */
const SECRET_BYTES = 32;

/** A new secret, and its hash for `SITES`. */
interface NewSecret {
  /** 256 random bits in 43 characters of base64url. */
  readonly secret: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Makes a secret. It is random, so a plain hash of it is enough. */
export function makeSecret(): NewSecret {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, sha256: hash('sha256', secret) };
}

/** The site of a secret. */
interface KnownSecret {
  readonly site: Site;
  /** Identifies the secret among those of all sites; reveals nothing about it. */
  readonly id: string;
}

/**
 * Returns a function that finds the site of a secret. The presented secret's hash is keyed before the lookup, so that timing
 * reveals nothing about the hashes in `SITES`.
 */
export function secretFinder(sites: Iterable<Site>): (secret: string) => KnownSecret | undefined {
  const processKey = randomBytes(32);
  // Both have a fixed length, so this needs no HMAC, which takes three times as long.
  const keyed = (digest: Buffer) => hash('sha256', Buffer.concat([processKey, digest]), 'base64');
  const known = new Map<string, KnownSecret & { readonly digest: Buffer }>();
  for (const site of sites) {
    for (const [at, text] of site.secretHashes.entries()) {
      const digest = Buffer.from(text, 'hex');
      known.set(keyed(digest), { site, id: `${site.key}:${at}`, digest });
    }
  }
  return (secret) => {
    const digest = hash('sha256', secret, 'buffer');
    const found = known.get(keyed(digest));
    return found !== undefined && equalBytes(found.digest, digest) ? found : undefined;
  };
}
