// Makes a site: its key, its secret, and its entry of SITES.

import { randomAlphanumerics } from '@tollgate/shared/crypto';
import { makeSecret } from '../site-secrets.js';

const KEY_CHARACTERS = 20;

/** The properties of a new site. */
interface NewSite {
  /** Random if undefined. */
  readonly key: string | undefined;
  /** Host names of its pages. */
  readonly hostnames: readonly string[];
}

/** Returns the command's output: the only place where the secret is ever shown. */
export function newSite({ key = randomAlphanumerics(KEY_CHARACTERS), hostnames }: NewSite): string {
  const { secret, sha256 } = makeSecret();
  const entry = { [key]: { secret_sha256: sha256, hostnames } };
  return `site key: ${key}
secret:   ${secret}

The secret is not kept anywhere: give it to the server of the site now. SITES holds its hash:

${JSON.stringify(entry, null, 2)}`;
}
